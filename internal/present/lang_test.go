package present

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var verb = regexp.MustCompile(`%(\[[0-9]+\])?[-+#0-9.]*[a-zA-Z]`)

// verbs are what a text needs, in the order of the arguments.
func verbs(text string) []string {
	vs := verb.FindAllString(strings.ReplaceAll(text, "%%", ""), -1)
	if slices.ContainsFunc(vs, func(v string) bool { return strings.Contains(v, "[") }) {
		slices.Sort(vs)
		for i, v := range vs {
			vs[i] = "%" + v[strings.IndexByte(v, ']')+1:]
		}
	}
	return vs
}

func TestBothLanguagesSayTheSame(t *testing.T) {
	for _, pair := range [][2]func() map[string]string{{textEN, textZH}, {compareEN, compareZH}, {pricesEN, pricesZH}, {claimsEN, claimsZH}, {purchaseEN, purchaseZH}, {formulasEN, formulasZH}, {planEN, planZH}} {
		en, zh := pair[0](), pair[1]()
		for key, text := range en {
			other, ok := zh[key]
			switch {
			case !ok:
				t.Errorf("%s has no Chinese text", key)
			case strings.TrimSpace(text) == "" || strings.TrimSpace(other) == "":
				t.Errorf("%s is empty", key)
			default:
				if diff := cmp.Diff(verbs(text), verbs(other)); diff != "" {
					t.Errorf("%s takes different arguments:\n%s", key, diff)
				}
			}
		}
		for key := range zh {
			if _, ok := en[key]; !ok {
				t.Errorf("%s has no English text", key)
			}
		}
	}
}

func TestLang(t *testing.T) {
	for locale, want := range map[string]Lang{
		"": EN, "C": EN, "POSIX": EN, "en_US.UTF-8": EN, "de_DE": EN, "zha_CN": EN,
		"zh_CN.UTF-8": ZH, "zh_TW": ZH, "zh-Hans": ZH, "zh": ZH, "ZH_cn.gb18030": ZH,
	} {
		if got := LangOfLocale(locale); got != want {
			t.Errorf("%q: %s", locale, got)
		}
	}
	if l, err := ParseLang("zh"); l != ZH || err != nil {
		t.Error(l, err)
	}
	if _, err := ParseLang("fr"); err == nil {
		t.Error("speaks French")
	}
	for _, c := range []struct{ got, want string }{
		{Lang("").T("provider"), "Provider"},
		{ZH.T("provider"), "提供商"},
		{ZH.T("per_gpu") + ZH.T("you_pay") + ZH.T("as_of"), "每卡时实付/时截至"},
		{EN.T("effects", "x"), "10 % more of an input changes it by: x"},
		{ZH.T("no such key", 1), "no such key"},
		{EN.Tag() + ZH.Tag(), "enzh-CN"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
