package catalog

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Nearest lists at most limit of the candidates that somebody who typed name
// may have meant, the likeliest first: those that continue the name, those a
// few letters away (at least one, at most a third of the name), then those
// that hold it. Case, spaces and punctuation do not count. The order is total,
// so the same question has the same answer.
func Nearest(name string, candidates []string, limit int) []string {
	type near struct {
		word string
		far  int
	}
	var found []near
	plain := foldRunes(name)
	for _, c := range candidates {
		if far, ok := remoteness(plain, foldRunes(c)); ok {
			found = append(found, near{c, far})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(len(a.word), len(b.word)), strings.Compare(a.word, b.word))
	})
	var out []string
	for _, n := range found {
		if len(out) < limit && !slices.Contains(out, n.word) {
			out = append(out, n.word)
		}
	}
	return out
}

// longestName bounds the work on one name: nobody means one that is longer.
const longestName = 64

// foldRunes is the letters and digits of a name in lower case, full-width
// forms made narrow.
func foldRunes(s string) []rune {
	out := make([]rune, 0, min(len(s), longestName))
	for _, r := range s {
		r = foldRune(r)
		if len(out) == longestName {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, r)
		}
	}
	return out
}

// foldRune is r in lower case and narrow: 'Ｈ' is 'h'.
func foldRune(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		r -= 0xFEE0
	}
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// remoteness is how far the candidate is from the name, in thousandths of a
// letter; a common beginning brings it nearer. False when it is too far to be
// meant.
func remoteness(name, candidate []rune) (int, bool) {
	if len(name) == 0 || len(candidate) == 0 {
		return 0, false
	}
	common := 0
	for common < min(len(name), len(candidate)) && name[common] == candidate[common] {
		common++
	}
	more := 10 * (len(candidate) - len(name))
	if common == len(name) && len(name) > 1 {
		return 500 + more, true
	}
	if far := editDistance(name, candidate); far <= max(1, len(name)/3) {
		return 1000*far - 400*common/len(name), true
	}
	if len(name) > 2 && strings.Contains(string(candidate), string(name)) {
		return 30_000 + more, true
	}
	return 0, false
}

// editDistance counts the letters to insert, delete, replace or swap with
// their neighbour: the optimal string alignment distance, which is the
// Damerau-Levenshtein distance without edits inside a swapped pair.
func editDistance(a, b []rune) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		cur[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// orList is "a, b or c".
func orList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}
