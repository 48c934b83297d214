package catalog

import "strings"

// didYouMean is the hint for a word that is not among the known ones.
func didYouMean(word string, among []string) string {
	if near := Nearest(word, among, 3); near != nil {
		return "did you mean " + orList(near) + "?"
	}
	if len(among) > 0 && len(among) <= 12 {
		return "one of " + strings.Join(among, ", ")
	}
	return ""
}
