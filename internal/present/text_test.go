package present

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"
)

// Columns of a modern terminal: Unicode 16 East Asian Width with ambiguous
// characters narrow, and emoji sequences as one wide character.
func TestWidth(t *testing.T) {
	narrow := &runewidth.Condition{StrictEmojiNeutral: true}
	for s, want := range map[string]int{
		"": 0, "H100": 4, "阿里云灵骏": 10, "华东2（上海）": 13, "⚡": 2, "🇨🇳": 2, "👩‍👩‍👧": 2, "👍🏽": 2,
		"…": 1, "·": 1, "×": 1, "−": 1, "–": 1, "│": 1, "█": 1, "¥": 1, "￥": 2, "折": 2, "é": 1, "e\u0301": 1,
	} {
		if got := width(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
		if got := narrow.StringWidth(s); got != want {
			t.Errorf("%q: go-runewidth says %d, want %d", s, got, want)
		}
	}
	if width("❤️") != 2 || width("1️⃣") != 2 { // emoji presentation, where go-runewidth says 1
		t.Error(width("❤️"), width("1️⃣"))
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "阿里云": "阿里云", "🇨🇳": "🇨🇳", "a\nb\tc\r": "a b c ", "\x1b[31mred\x1b[0m": "[31mred[0m", "a\u202eb": "ab", "a\u200bb": "ab",
		"\xff": "\uFFFD", "\u0301a": "\u0301a", "a\u0600": "a", "全\u3000角": "全\u3000角", "\u00a0x": " x", "👩‍👩‍👧": "👩‍👩‍👧", "\x00\x07": "",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		tail string
		want string
	}{
		{"CoreWeave", 9, "…", "CoreWeave"},
		{"CoreWeave", 8, "…", "CoreWea…"},
		{"CoreWeave", 8, "...", "CoreW..."},
		{"阿里云灵骏", 9, "…", "阿里云灵…"},
		{"阿里云灵骏", 8, "…", "阿里云…"},
		{"Google Cloud", 8, "…", "Google…"},
		{"CoreWeave", 1, "…", "C"},
		{"CoreWeave", 3, "...", "Cor"},
		{"CoreWeave", 0, "…", ""},
		{"阿里", 1, "…", ""},
	} {
		if got := cut(c.in, c.w, c.tail); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want []string
	}{
		{"short", 20, []string{"short"}},
		{"", 20, []string{""}},
		{"one two three four five", 20, []string{"one two three four", "  five"}},
		{"a  b   spaces kept where it fits on", 24, []string{"a  b   spaces kept where", "  it fits on"}},
		{"竞价实例随时可能被收回，请看完成的价格。", 20, []string{"竞价实例随时可能被收", "  回，请看完成的价", "  格。"}},
		{"十个字正好到了行末尾，再来", 20, []string{"十个字正好到了行末", "  尾，再来"}},
		{"价格以（美元）计算，每张卡（含税）", 20, []string{"价格以（美元）计算，", "  每张卡（含税）"}},
		{"https://example.org/a/very/long/location", 20, []string{"https://example.org/", "  a/very/long/locati", "  on"}},
		{"H100, spot · USD per hour · 14 offers", 20, []string{"H100, spot ·", "  USD per hour ·", "  14 offers"}},
		{"  indented text that is long", 20, []string{"  indented text that", "  is long"}},
	} {
		if diff := cmp.Diff(c.want, wrap(c.in, c.w, 2)); diff != "" {
			t.Errorf("%q:\n%s", c.in, diff)
		}
	}
}

// Wrapping never exceeds the width and loses nothing but spaces.
func TestWrapLaws(t *testing.T) {
	letters := rapid.SampledFrom([]rune("ab  ·|，。（云⚡é-"))
	rapid.Check(t, func(t *rapid.T) {
		s := clean(rapid.StringOf(letters).Draw(t, "s"))
		w := rapid.IntRange(narrowest, 90).Draw(t, "w")
		lines := wrap(s, w, rapid.IntRange(0, 6).Draw(t, "hang"))
		for _, line := range lines {
			if width(line) > w {
				t.Fatalf("%d columns: %q", width(line), line)
			}
		}
		bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if bare(strings.Join(lines, "")) != bare(s) {
			t.Fatalf("%q became %q", s, lines)
		}
	})
}
