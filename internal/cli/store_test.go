package cli

import (
	"strings"
	"testing"
)

func TestWithoutPassword(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"prices.db", "prices.db"},
		{"/a/b@c.db", "/a/b@c.db"},
		{"sqlite:x.db", "sqlite:x.db"},
		{"pass show x/%s", "pass show x/%s"},
		{"postgres://me@db/prices", "postgres://me@db/prices"},
		{"postgres://me:secret@db:5432/prices?sslmode=require", "postgres://me:xxxxx@db:5432/prices?sslmode=require"},
		{"postgres://db/prices?password=secret&user=me", "postgres://db/prices?password=xxxxx&user=me"},
		{"postgres://me:sec%ret@db/prices", "...db/prices"}, // not a URL: nothing before the host is shown
	} {
		if got := withoutPassword(c[0]); got != c[1] {
			t.Errorf("%q is shown as %q, want %q", c[0], got, c[1])
		}
	}
}

// TestLargeStore: a store of more prices than an answer takes is read for the
// GPUs and the sellers that are asked for; without those, it is said what to do.
func TestLargeStore(t *testing.T) {
	defer func(many, most int) { manyPrices, mostPrices = many, most }(manyPrices, mostPrices)
	manyPrices, mostPrices = 5, 11
	w := newLab(t)
	w.hosts["api.vultr.com"], w.hosts["www.ecb.europa.eu"] = vultrAt(2.5), euros("2026-11-02")
	w.want(0, "prices", "refresh", "--source", "vultr") // 11 prices, ten of H100
	mostPrices = 10
	const alone = "it holds 11 prices, of which 11 may be meant, more than the 10 that one answer takes: name GPUs or sellers, --gpu h100 or --provider aws"
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"compare", "--gpu", "h100"}, "With 10 prices of the store"},
		{[]string{"compare", "--provider", "vultr"}, alone},
		{[]string{"compare", "--provider", "lambda"}, "it holds no price of what was asked for"},
		{[]string{"compare", "--gpu", "mi300x", "--provider", "Vultr"}, "With 1 prices of the store"},
		{[]string{"estimate", "--scenario", "finetune-7b"}, alone},
		{[]string{"estimate", "--scenario", "finetune-7b", "--gpu", "h100"}, "With 10 prices of the store"},
	} {
		w.run(t.Context(), c.args...)
		if text := strings.Join(strings.Fields(w.out), " "); !strings.Contains(text, c.says) {
			t.Errorf("%v does not say %q: %.400s%s", c.args, c.says, text, w.errs)
		}
	}
	w.want(0, "compare", "--gpu", "h100", "--lang", "zh")
	mostPrices = 9
	w.want(0, "compare", "--gpu", "h100", "--lang", "zh")
	if !strings.Contains(w.out, "10") || !strings.Contains(w.out, "--provider aws") {
		t.Error(w.out)
	}
}
