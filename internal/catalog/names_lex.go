package catalog

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spec is what a name says: the model's own letters and digits, and what
// surrounds them. A zero field is not said.
type spec struct {
	vendor string   // folded: "nvidia", "moorethreads"
	core   string   // "h100", "rtx6000ada"
	words  []string // the words of the core
	mem    float64  // GB, from a number with its unit
	num    float64  // a bare number after the model, which may be its memory
	form   string   // sxm, pcie, nvl or oam
	hbm    string   // hbm2, hbm2e, hbm3, hbm3e
	count  float64  // GPUs, of a "8x" in front
	times  int      // N of a trailing "xN": a count, or part of a model such as MLU370-X8
}

// bare reports whether the name says the model and nothing about the variant.
func (s *spec) bare() bool {
	return s.mem == 0 && s.num == 0 && s.form == "" && s.hbm == ""
}

// longestSpec bounds the text of one name, in bytes.
const longestSpec = 200

// parseSpec reads a name as people and providers write it. It never fails:
// what is not understood stays in the core, which then matches nothing.
func parseSpec(name string) spec {
	var s spec
	if len(name) > longestSpec {
		return spec{core: name}
	}
	all := nameRuns(name)
	for i, run := range all {
		if run == "x" && i+1 < len(all) && i > 0 && len(all[i+1]) < 4 && allDigits(all[i+1]) {
			all[i+1] = "x" + all[i+1] // "H100 x 8"
			continue
		}
		s.take(run)
	}
	s.core = joinWords(s.words)
	return s
}

// nameRuns splits a name at spaces and punctuation, and where Chinese meets
// Latin, in lower case and narrow. A character that joins several names
// ("H100/H800") is a run of its own, and a point between digits belongs to the
// number.
func nameRuns(name string) []string {
	text := foldText(name)
	out := make([]string, 0, 4)
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, text[start:end])
		}
		start = end
	}
	for i, r := range text {
		point := r == '.' && i+1 < len(text) && isDigit(rune(text[i+1])) && allDigits(text[start:i])
		switch {
		case point, r < 0x80 && isAlnum(r), r >= 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if i > start && (text[start] < 0x80) != (r < 0x80) {
				flush(i)
			}
		default:
			flush(i)
			if start = i + utf8.RuneLen(r); isJoint(r) {
				out = append(out, text[i:start])
			}
		}
	}
	flush(len(text))
	return out
}

// foldText is the text in lower case and narrow, with multiplication signs as
// an x.
func foldText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '×' || r == '*' {
			return 'x'
		}
		return foldRune(r)
	}, s)
}

func isJoint(r rune) bool { return r == '/' || r == '+' || r == '|' || r == '&' || r == ';' }

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' }

func isAlnum(r rune) bool { return isDigit(r) || isLetter(r) }

func allDigits(s string) bool { return s != "" && stem(s, isDigit) == 0 }

func hasDigit(s string) bool { return strings.IndexFunc(s, isDigit) >= 0 }

// stem is the length of s without the letters or digits at its end.
func stem(s string, cut func(rune) bool) int {
	end := len(s)
	for end > 0 && cut(rune(s[end-1])) {
		end--
	}
	return end
}

// joinWords writes words without separators. Two numbers keep theirs, so that
// "A10 0" is never an A100.
func joinWords(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 && isDigit(rune(words[i-1][len(words[i-1])-1])) && isDigit(rune(w[0])) {
			b.WriteByte('-')
		}
		b.WriteString(w)
	}
	return b.String()
}

// foldName is the name in lower case and narrow, without spaces and
// punctuation.
func foldName(name string) string { return joinWords(nameRuns(name)) }

// take takes one run of a name.
func (s *spec) take(run string) {
	if run[0] >= 0x80 {
		s.chinese(run)
		return
	}
	if s.unit(run) || s.knownWord(run) || s.number(run) {
		return
	}
	s.glued(run)
}

// add adds a word of the model. A number in front of it was a count.
func (s *spec) add(word string) {
	if len(s.words) == 0 && s.num > 0 {
		s.count, s.num = s.num, 0
	}
	s.words = append(s.words, word)
}

// unit takes a unit that stands apart from its number: "80 GB", "8 x".
func (s *spec) unit(run string) bool {
	if s.num == 0 {
		return false
	}
	if gb, ok := inGB(s.num, run); ok {
		s.mem, s.num = gb, 0
		return true
	}
	return run == "x" && len(s.words) == 0
}

// knownWord takes a vendor, a form, a memory type, or a word that says nothing
// about the model.
func (s *spec) knownWord(run string) bool {
	if v := vendorWord(run); v != "" {
		s.vendor = v
		return true
	}
	if f := formWord(run); f != "" {
		s.form = f
		return true
	}
	if run == "hgx" || run == "dgx" { // NVIDIA's boards and machines of SXM modules
		s.form = cmp.Or(s.form, "sxm")
		return true
	}
	if strings.HasPrefix(run, "hbm") {
		s.hbm = run
		return true
	}
	return isNoise(run) || strings.HasPrefix(run, "gddr") || isRack(run)
}

// isRack reports a rack's size, NVL72. NVL2 and NVL4 are boards, and say which.
func isRack(run string) bool {
	return strings.HasPrefix(run, "nvl") && len(run) > 4 && allDigits(run[3:])
}

// number takes a memory, a count or a bare number that is not the model's.
func (s *spec) number(run string) bool {
	if gb, ok := parseMemory(run); ok {
		s.mem = gb
		return true
	}
	if n, rest, ok := cutTimes(run); ok {
		if s.count = n; rest != "" {
			s.take(rest)
		}
		return true
	}
	if run[0] == 'x' && len(run) < 5 && allDigits(run[1:]) && len(s.words) > 0 {
		s.times, _ = strconv.Atoi(run[1:])
		return true
	}
	v, ok := plainNumber(run)
	if ok && (hasDigit(s.joined()) || len(s.words) == 0 && len(run) < 3) {
		s.num = v
		return true
	}
	return false
}

func (s *spec) joined() string { return strings.Join(s.words, "") }

// glued takes a run in which several words may be written together:
// "nvidiah100", "rtx4090", "h100sxm5", "a100pcie80gb".
func (s *spec) glued(run string) {
	for _, vendor := range [...]string{"nvidia", "geforce", "tesla", "amd", "hgx", "dgx"} {
		if rest, ok := strings.CutPrefix(run, vendor); ok && hasDigit(rest) {
			s.knownWord(vendor)
			run = rest
		}
	}
	run = s.cutTail(run)
	for _, series := range [...]string{"quadro", "rtx", "gtx", "pro"} {
		if rest, ok := strings.CutPrefix(run, series); ok && hasDigit(rest) {
			s.add(series)
			run = rest
		}
	}
	for _, tail := range [...]string{"ada", "ti"} {
		if rest, ok := strings.CutSuffix(run, tail); ok && rest != "" && isDigit(rune(rest[len(rest)-1])) {
			s.add(rest)
			run = tail
		}
	}
	s.add(run)
}

// cutTail takes counts, memory and forms off the end of a run, as long as a
// model stands before them.
func (s *spec) cutTail(run string) string {
	for {
		at := stem(run, isDigit)
		if base := run[:max(at-1, 0)]; at < len(run) && len(run)-at < 4 && strings.HasSuffix(run[:at], "x") && hasDigit(base) {
			s.times, _ = strconv.Atoi(run[at:])
			run = base
			continue
		}
		if base, gb, ok := cutMemory(run); ok {
			s.mem = gb
			run = base
			continue
		}
		base, form := cutForm(run)
		if form == "" {
			return run
		}
		s.form = form
		run = base
	}
}

// cutMemory takes "80gb" off the end. After "sxm" the first digit may be the
// socket's: "sxm480gb" is SXM4 with 80 GB.
func cutMemory(run string) (base string, gb float64, ok bool) {
	number := run[:stem(run, isLetter)]
	at := stem(number, isDigit)
	base = run[:at]
	if !hasDigit(base) {
		return "", 0, false
	}
	text := run[at:]
	if len(number)-at > 2 && strings.HasSuffix(base, "sxm") && text[1] != '0' {
		text = text[1:]
	}
	gb, ok = parseMemory(text)
	return base, gb, ok
}

// cutForm takes a form off the end.
func cutForm(run string) (base, form string) {
	for _, f := range [...]string{"sxm", "pcie", "nvl", "oam"} {
		if i := strings.LastIndex(run, f); i > 0 && hasDigit(run[:i]) && formWord(run[i:]) != "" {
			return run[:i], f
		}
	}
	return run, ""
}

// formWord reads a form with the version of its socket or bus: sxm5, pcie4.
func formWord(run string) string {
	switch word := run[:stem(run, isDigit)]; {
	case run == "nvl", run == "oam":
		return run
	case len(run)-len(word) < 2 && (word == "sxm" || word == "pcie"):
		return word
	}
	return ""
}

// parseMemory reads "80gb", "80g", "81920mib" as GB.
func parseMemory(run string) (float64, bool) {
	digits := run[:stem(run, isLetter)]
	v, ok := plainNumber(digits)
	if !ok {
		return 0, false
	}
	return inGB(v, run[len(digits):])
}

// inGB converts a memory to GB. A source's GiB are left as they stand:
// vendors call them GB as often as not; see memoryFar.
func inGB(v float64, unitName string) (float64, bool) {
	switch unitName {
	case "g", "gb", "gib":
	case "mb":
		v /= 1000
	case "mib":
		v /= 1024
	default:
		return 0, false
	}
	return v, v < 10_000
}

func plainNumber(s string) (float64, bool) {
	if s == "" || len(s) > 9 || strings.IndexFunc(s, func(r rune) bool { return r != '.' && !isDigit(r) }) >= 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v > 0
}

// cutTimes takes a count off the front: "8x", "8xh100".
func cutTimes(run string) (n float64, rest string, ok bool) {
	digits, rest, ok := strings.Cut(run, "x")
	if !ok || len(digits) > 3 || !allDigits(digits) {
		return 0, "", false
	}
	n, ok = plainNumber(digits)
	return n, rest, ok
}
