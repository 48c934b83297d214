package present

import (
	"fmt"
	"strings"
)

// Lang is the language of titles, notes and warnings. Keys of JSON and CSV
// never change with it. The zero Lang is English.
type Lang string

// The languages.
const (
	EN Lang = "en"
	ZH Lang = "zh"
)

// ParseLang reads the value of --lang.
func ParseLang(s string) (Lang, error) {
	switch l := Lang(s); l {
	case EN, ZH:
		return l, nil
	}
	return "", fmt.Errorf("unknown language %q, want en or zh", s)
}

// LangOfLocale is the language of a POSIX locale such as zh_CN.UTF-8: Chinese
// for any zh, otherwise English.
func LangOfLocale(locale string) Lang {
	tag, _, _ := strings.Cut(strings.ToLower(locale), ".")
	if tag == "zh" || strings.HasPrefix(tag, "zh_") || strings.HasPrefix(tag, "zh-") {
		return ZH
	}
	return EN
}

// T is the text of a key with its arguments filled in. A key without a text in
// the language is shown in English, and an unknown key as itself.
func (l Lang) T(key string, args ...any) string {
	text, ok := find(key, textEN, compareEN, estimateEN, pricesEN, claimsEN, purchaseEN, formulasEN, planEN)
	if l == ZH {
		if zh, has := find(key, textZH, compareZH, estimateZH, pricesZH, claimsZH, purchaseZH, formulasZH, planZH); has {
			text, ok = zh, true
		}
	}
	if !ok {
		return key
	}
	if len(args) == 0 && !strings.Contains(text, "%") {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Tag is the language as HTML names it.
func (l Lang) Tag() string {
	if l == ZH {
		return "zh-CN"
	}
	return "en"
}

// find looks into one map after another. Each is made when it is first needed:
// most commands need two of them.
func find(key string, maps ...func() map[string]string) (string, bool) {
	for _, m := range maps {
		if text, ok := m()[key]; ok {
			return text, true
		}
	}
	return "", false
}
