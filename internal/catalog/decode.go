package catalog

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/gpucost/gpucost/internal/money"
)

// Decode reads one strict YAML document into the struct that into points to;
// the struct's tags say what is allowed (see the file plan.go). Every value is
// read from its own text: NO, 010 and 1e3 stay text in a text field, and a
// number is a plain decimal without sign, exponent, underscore or leading
// zero. All problems are reported in one go; with an error among them, into is
// left as it was, else it is replaced as a whole. Keys that begin with x- at the top hold anchors and are
// otherwise ignored.
func Decode(file string, data []byte, into any) Problems {
	root, ps := parseYAML(file, data)
	if root == nil {
		return ps
	}
	v := reflect.ValueOf(into).Elem()
	d := decoder{file: file, root: v.Type(), plans: plans{}}
	out := reflect.New(v.Type()).Elem()
	d.value(root, out, &planField{}, nil, "")
	d.problems = d.problems.sorted().capped()
	if d.problems.Err() == nil {
		v.Set(out)
	}
	return d.problems
}

// At is the place of a mapping in its file. A field of this type lets the
// reader of a struct report what is wrong with its keys.
type At struct {
	Pos
	path  *path
	pairs []pair
}

// Has reports whether the key was written.
func (a *At) Has(key string) bool { return a.find(key) != nil }

func (a *At) find(key string) *pair {
	for i := range a.pairs {
		if a.pairs[i].key == key {
			return &a.pairs[i]
		}
	}
	return nil
}

// Problem is an error at a key of the mapping, or at the mapping itself when
// the key is empty or was not written.
func (a *At) Problem(code, key, what, hint string) Problem {
	p := Problem{Code: code, File: a.File, Line: a.Line, Col: a.Col, Path: a.path.join(key), What: what, Hint: hint}
	if pr := a.find(key); pr != nil {
		p.Line, p.Col = pr.val.Line, pr.val.Column
	}
	return p
}

// path is where a value stands, from the inside out.
type path struct {
	parent *path
	key    string
	index  int
}

func (p *path) join(key string) string {
	switch s := p.String(); {
	case key == "":
		return s
	case s == "":
		return key
	default:
		return s + "." + key
	}
}

func (p *path) String() string {
	if p == nil {
		return ""
	}
	if p.key == "" {
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	}
	return p.parent.join(p.key)
}

type pair struct {
	key     string
	at, val *yaml.Node
}

type decoder struct {
	file     string
	root     reflect.Type
	plans    plans
	known    map[string][]string
	problems Problems
}

// hopeless reports that there are too many problems to go on.
func (d *decoder) hopeless() bool { return len(d.problems) > maxProblems }

func (d *decoder) report(n *yaml.Node, p *path, code, what, hint string) {
	if !d.hopeless() {
		d.problems = append(d.problems, Problem{Code: code, File: d.file, Line: n.Line, Col: n.Column, Path: p.String(), What: oneLine(what), Hint: hint})
	}
}

// oneLine keeps a report on one line whatever the file's own words hold: an
// escape in a tag can be a line end.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return '?'
		}
		return r
	}, s)
}

// value reads node n into v. cur is the currency stated around it.
func (d *decoder) value(n *yaml.Node, v reflect.Value, f *planField, p *path, cur money.Currency) {
	at := n
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Style&yaml.TaggedStyle != 0 {
		d.report(at, p, "tag", "the tag "+n.Tag+" is not used here", "quote the value instead")
		return
	}
	t := v.Type()
	switch {
	case t.Kind() == reflect.Pointer:
		if isNull(n) && n.Value != "" {
			if t.Elem() == amountType {
				v.Set(reflect.New(amountType))
			}
			return
		}
		inner := reflect.New(t.Elem())
		d.value(at, inner.Elem(), f, p, cur)
		v.Set(inner)
	case isScalar(t) && (t.Kind() != reflect.Slice || n.Kind != yaml.SequenceNode): // a list that may be one text too
		d.scalar(at, n, v, f, p, cur)
	case t.Kind() == reflect.Struct:
		if d.kind(at, n, p, yaml.MappingNode) {
			d.mapping(d.pairs(n, p), at, v, d.plans.of(t), p, cur)
		}
	case t.Kind() == reflect.Slice:
		if d.kind(at, n, p, yaml.SequenceNode) {
			d.list(n, v, f, p, cur)
		}
	case t.Kind() == reflect.Map:
		if d.kind(at, n, p, yaml.MappingNode) {
			d.table(n, v, f, p, cur)
		}
	default:
		panic("catalog: cannot read into " + t.String())
	}
}

// kind checks that n is a list or a mapping as wanted.
func (d *decoder) kind(at, n *yaml.Node, p *path, want yaml.Kind) bool {
	if n.Kind == want {
		return true
	}
	name := map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list", yaml.ScalarNode: "a single value"}
	got := name[n.Kind]
	if isNull(n) {
		got = "nothing"
	}
	d.report(at, p, "wrong-kind", fmt.Sprintf("want %s, got %s", name[want], got), "")
	return false
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, f *planField, p *path, cur money.Currency) {
	for i, c := range n.Content {
		if d.hopeless() {
			return
		}
		v.Grow(1)
		v.SetLen(i + 1)
		d.value(c, v.Index(i), f, &path{parent: p, index: i}, cur)
	}
}

func (d *decoder) table(n *yaml.Node, v reflect.Value, f *planField, p *path, cur money.Currency) {
	out := reflect.MakeMap(v.Type())
	for _, pr := range d.pairs(n, p) {
		inner := reflect.New(v.Type().Elem()).Elem()
		d.value(pr.val, inner, f, &path{parent: p, key: pr.key}, cur)
		out.SetMapIndex(reflect.ValueOf(pr.key).Convert(v.Type().Key()), inner)
	}
	v.Set(out)
}

// mapping reads the pairs of a mapping into the struct v.
func (d *decoder) mapping(pairs []pair, at *yaml.Node, v reflect.Value, pl *plan, p *path, cur money.Currency) {
	here := Pos{d.file, at.Line, at.Column}
	if pl.pos != nil {
		v.FieldByIndex(pl.pos).Set(reflect.ValueOf(here))
	}
	if pl.at != nil {
		v.FieldByIndex(pl.at).Set(reflect.ValueOf(At{here, p, pairs}))
	}
	cur = d.currency(pairs, v, pl, p, cur)
	var missing []string
	for _, f := range pl.fields {
		if f.required && !has(pairs, f.key) {
			missing = append(missing, f.key)
		}
	}
	if missing != nil {
		d.report(at, p, "missing-key", "missing "+strings.Join(missing, ", "), "")
	}
	for _, pr := range pairs {
		f, inside := pl.byKey[pr.key], &path{parent: p, key: pr.key}
		switch {
		case pl.states && pr.key == "currency": // read already
		case f == nil && p == nil && strings.HasPrefix(pr.key, "x-"):
		case f == nil:
			d.unknown(pr, pl, p)
		case f.group != nil:
			if n := target(pr.val); d.kind(pr.val, n, inside, yaml.MappingNode) {
				d.mapping(d.pairs(n, inside), pr.val, v, f.group, inside, cur)
			}
		default:
			d.value(pr.val, v.FieldByIndex(f.index), f, inside, cur)
		}
	}
}

// currency reads the currency of a mapping ahead of its amounts.
func (d *decoder) currency(pairs []pair, v reflect.Value, pl *plan, p *path, cur money.Currency) money.Currency {
	for _, pr := range pairs {
		if !pl.states || pr.key != "currency" {
			continue
		}
		var c money.Currency
		before := len(d.problems)
		d.value(pr.val, reflect.ValueOf(&c).Elem(), &planField{}, &path{parent: p, key: pr.key}, "")
		if len(d.problems) > before {
			return badCurrency
		}
		if f := pl.byKey["currency"]; f != nil {
			v.FieldByIndex(f.index).SetString(string(c))
		}
		return c
	}
	return cur
}

func has(pairs []pair, key string) bool {
	for _, pr := range pairs {
		if pr.key == key {
			return true
		}
	}
	return false
}

func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// pairs lists the keys and values of a mapping, each key once; the pairs of a
// merge (<<) come last and yield to the mapping's own.
func (d *decoder) pairs(n *yaml.Node, p *path) []pair {
	if n.Style&yaml.TaggedStyle != 0 {
		d.report(n, p, "tag", "the tag "+n.Tag+" is not used here", "")
	}
	out := make([]pair, 0, len(n.Content)/2)
	lines := map[string]int{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		switch first, doubled := lines[k.Value]; {
		case k.Kind != yaml.ScalarNode || k.Style&yaml.TaggedStyle != 0:
			d.report(k, p, "wrong-kind", "a key must be plain text", "")
		case k.Tag == "!!merge":
			merges = append(merges, val)
		case doubled:
			d.report(k, &path{parent: p, key: k.Value}, "doubled-key", fmt.Sprintf("the key stands here twice, first in line %d", first), "")
		default:
			lines[k.Value] = k.Line
			out = append(out, pair{k.Value, k, val})
		}
	}
	for _, m := range merges {
		for _, pr := range d.merged(m, p) {
			if _, own := lines[pr.key]; !own {
				lines[pr.key] = pr.at.Line
				out = append(out, pr)
			}
		}
	}
	return out
}

// merged lists the pairs that a merge brings: of one mapping or of a list of
// them, the earlier first.
func (d *decoder) merged(m *yaml.Node, p *path) []pair {
	t := target(m)
	if t.Kind == yaml.MappingNode {
		return d.pairs(t, p)
	}
	var out []pair
	for _, c := range t.Content {
		if t.Kind != yaml.SequenceNode || target(c).Kind != yaml.MappingNode {
			break
		}
		out = append(out, d.pairs(target(c), p)...)
	}
	if out == nil {
		d.report(m, &path{parent: p, key: "<<"}, "wrong-kind", "a merge takes the alias of a mapping", "")
	}
	return out
}

// unknown reports a key that does not belong here and says where it does.
func (d *decoder) unknown(pr pair, pl *plan, p *path) {
	if d.hopeless() {
		return
	}
	if d.known == nil {
		d.known = d.plans.places(d.root)
	}
	inside := &path{parent: p, key: pr.key}
	near := Nearest(pr.key, pl.keys(), 1)
	places := d.known[pr.key]
	if len(places) == 0 || near != nil && editDistance([]rune(pr.key), []rune(near[0])) == 1 {
		d.report(pr.at, inside, "unknown-key", "unknown key", didYouMean(pr.key, pl.keys()))
		return
	}
	where := places[0]
	if where == "" {
		where = "the top of the file"
	}
	d.report(pr.at, inside, "misplaced-key", "the key does not belong here", fmt.Sprintf("%s belongs into %s", pr.key, where))
}
