package present

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// writeYAML re-encodes the JSON form of the answer in YAML's block style: the
// same tree in the same order, with every string in quotes that could be read
// as something else.
func writeYAML(b *bytes.Buffer, d Doc, _ Options) error {
	tree, err := json.Marshal(d.Object)
	if err != nil {
		return err
	}
	y := yamlEmitter{b, json.NewDecoder(bytes.NewReader(tree))}
	y.in.UseNumber()
	return y.value(0, yamlTop)
}

// yamlEmitter turns a stream of JSON tokens into YAML.
type yamlEmitter struct {
	out *bytes.Buffer
	in  *json.Decoder
}

// yamlPlace is what stands before a value on its line.
type yamlPlace int

const (
	yamlTop  yamlPlace = iota // nothing
	yamlKey                   // "key:"
	yamlItem                  // "- "
)

func (y yamlEmitter) value(depth int, at yamlPlace) error {
	t, err := y.in.Token()
	if err != nil {
		return err
	}
	open, isCollection := t.(json.Delim)
	if isCollection && y.in.More() {
		return y.collection(open, depth, at)
	}
	if at == yamlKey {
		y.out.WriteByte(' ')
	}
	switch v := t.(type) {
	case json.Delim: // an empty one
		y.out.WriteString(map[json.Delim]string{'{': "{}", '[': "[]"}[v])
		_, err = y.in.Token()
	case string:
		if yamlLines().MatchString(v) && depth > 0 {
			indent := "\n" + strings.Repeat("  ", depth)
			v = "|-" + indent + strings.ReplaceAll(v, "\n", indent)
		} else {
			v = yamlString(v)
		}
		y.out.WriteString(v)
	case json.Number:
		y.out.WriteString(yamlNumber(v.String()))
	case bool:
		y.out.WriteString(strconv.FormatBool(v))
	default:
		y.out.WriteString("null")
	}
	y.out.WriteByte('\n')
	return err
}

// collection writes the entries of a mapping or sequence and its closing token.
// The first entry of one that is itself an item shares the line of its dash.
func (y yamlEmitter) collection(open json.Delim, depth int, at yamlPlace) error {
	if at == yamlKey {
		y.out.WriteByte('\n')
	}
	for first := true; y.in.More(); first = false {
		if !first || at != yamlItem {
			y.out.WriteString(strings.Repeat("  ", depth))
		}
		place := yamlItem
		if open == '{' {
			key, err := y.in.Token()
			if err != nil {
				return err
			}
			place = yamlKey
			y.out.WriteString(yamlString(key.(string)) + ":")
		} else {
			y.out.WriteString("- ")
		}
		if err := y.value(depth+1, place); err != nil {
			return err
		}
	}
	_, err := y.in.Token()
	return err
}

// yamlNumber gives a number with an exponent the point without which YAML 1.1
// takes it for text.
func yamlNumber(s string) string {
	if i := strings.IndexByte(s, 'e'); i > 0 && !strings.Contains(s, ".") {
		return s[:i] + ".0" + s[i:]
	}
	return s
}

// yamlPlain matches strings that need no quotes; yamlWords are those of them
// that YAML 1.1 or 1.2 reads as something other than a string. yamlLines matches
// several lines that can be written as they are.
var (
	yamlLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[!-~][ -~]*(\n[!-~][ -~]*)+$`) })
	yamlPlain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\pL[\pL0-9 _./+()%-]*$`) })
	yamlWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
)

// yamlString quotes where needed. Every escape that Go writes, YAML knows.
func yamlString(s string) string {
	if yamlPlain().MatchString(s) && !strings.HasSuffix(s, " ") && !slices.Contains(yamlWords, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}
