package estimate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Library holds the built-in scenarios: YAML documents, one a scenario,
// divided by lines of three dashes. A document is read when it is asked for.
type Library struct {
	file string
	docs []libraryDoc
}

type libraryDoc struct {
	id   string
	text []byte
}

// NewLibrary divides the documents of a file. Each begins with its schema and
// id.
func NewLibrary(file string, data []byte) *Library {
	l := &Library{file: file}
	for doc := range bytes.SplitSeq(data, []byte("\n---\n")) {
		if id := idOf(doc); id != "" {
			l.docs = append(l.docs, libraryDoc{id, append(bytes.TrimSpace(doc), '\n')})
		}
	}
	return l
}

func idOf(doc []byte) string {
	for line := range bytes.Lines(doc) {
		if id, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			return string(bytes.TrimSpace(id))
		}
	}
	return ""
}

// IDs lists the built-in scenarios in the order of the file.
func (l *Library) IDs() []string {
	var out []string
	for _, d := range l.docs {
		out = append(out, d.id)
	}
	return out
}

// UnknownScenarioError is a scenario that does not exist.
type UnknownScenarioError struct {
	Name string
	Near []string
}

func (e *UnknownScenarioError) Error() string { return fmt.Sprintf("unknown scenario %q", e.Name) }

// Scenario is a built-in scenario by its id.
func (l *Library) Scenario(id string) (*Scenario, error) {
	for _, d := range l.docs {
		if strings.EqualFold(d.id, id) {
			s, ps := l.Read(d.id+" (built in)", d.text)
			if err := ps.Err(); err != nil {
				return nil, err
			}
			return s, nil
		}
	}
	return nil, &UnknownScenarioError{id, catalog.Nearest(id, l.IDs(), 3)}
}

// maxExtends bounds a chain of extends.
const maxExtends = 8

// Read reads a scenario file and lays it over what it extends.
func (l *Library) Read(file string, data []byte) (*Scenario, catalog.Problems) {
	return l.read(file, data, 0)
}

func (l *Library) read(file string, data []byte, depth int) (*Scenario, catalog.Problems) {
	var own Scenario
	if ps := catalog.Decode(file, data, &own); ps.Err() != nil {
		return nil, ps
	}
	s := &Scenario{origins: map[string]Origin{}}
	if own.Extends != "" {
		i := slices.IndexFunc(l.docs, func(d libraryDoc) bool { return strings.EqualFold(d.id, own.Extends) })
		if i < 0 || depth >= maxExtends {
			hint := "built in are " + strings.Join(l.IDs(), ", ")
			if near := catalog.Nearest(own.Extends, l.IDs(), 1); near != nil {
				hint = "did you mean " + near[0] + "?"
			}
			return nil, catalog.Problems{own.At.Problem("unknown-scenario", "extends", fmt.Sprintf("unknown scenario %q", own.Extends), hint)}
		}
		var ps catalog.Problems
		if s, ps = l.read(l.docs[i].id+" (built in)", l.docs[i].text, depth+1); ps.Err() != nil {
			return nil, ps
		}
	}
	s.lay(&own, func(_ string, at *catalog.At, own string) Origin {
		p := at.Problem("", own, "", "")
		return Origin{"scenario", fmt.Sprintf("%s:%d", file, p.Line)}
	})
	s.At, s.text = own.At, data
	return s, nil
}

// Setting is one value from the command line.
type Setting struct{ Key, Value, Flag string }

// ParseSetting reads train.tokens=100M.
func ParseSetting(text string) (Setting, error) {
	key, value, ok := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return Setting{}, fmt.Errorf("--set %q: want key=value, such as train.tokens=100M", text)
	}
	return Setting{key, strings.TrimSpace(value), "--set " + key}, nil
}

// SettingError is a value of the command line that does not fit.
type SettingError struct {
	Setting Setting
	What    string
	Hint    string
}

func (e *SettingError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Setting.Flag, e.Setting.Value, e.What)
}

// Set lays values of the command line over the scenario. They are read as
// strictly as a file's.
func (s *Scenario) Set(settings ...Setting) error {
	if len(settings) == 0 {
		return nil
	}
	tree := map[string]any{}
	for _, v := range settings {
		if err := plant(tree, v); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	b.WriteString("schema: 1\n")
	write(&b, tree, "")
	var own Scenario
	ps := catalog.Decode("flags", b.Bytes(), &own)
	if ps.Err() != nil {
		return blame(ps.Errors()[0], settings)
	}
	flags := map[string]string{}
	for _, v := range settings {
		flags[v.Key] = v.Flag
	}
	s.lay(&own, func(key string, _ *catalog.At, _ string) Origin {
		return Origin{"flag", cmp.Or(flags[key], "--set "+key)}
	})
	if s.Schema == 0 {
		s.Schema = 1
	}
	return nil
}

// plant puts a dotted key into a tree.
func plant(tree map[string]any, v Setting) error {
	parts := strings.Split(v.Key, ".")
	for _, p := range parts[:len(parts)-1] {
		next, ok := tree[p].(map[string]any)
		if !ok {
			if _, taken := tree[p]; taken {
				return &SettingError{v, p + " has a value already", ""}
			}
			next = map[string]any{}
			tree[p] = next
		}
		tree = next
	}
	last := parts[len(parts)-1]
	if strings.Trim(last, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || last == "" {
		return &SettingError{v, "keys are lower-case words joined by dots", "such as train.tokens"}
	}
	tree[last] = v.Value
	return nil
}

func write(b *bytes.Buffer, tree map[string]any, indent string) {
	keys := make([]string, 0, len(tree))
	for k := range tree {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		switch v := tree[k].(type) {
		case string:
			quoted, _ := json.Marshal(v)
			fmt.Fprintf(b, "%s%s: %s\n", indent, k, quoted)
		case map[string]any:
			fmt.Fprintf(b, "%s%s:\n", indent, k)
			write(b, v, indent+"  ")
		}
	}
}

// blame finds the setting that a problem is about.
func blame(p catalog.Problem, settings []Setting) error {
	for _, v := range settings {
		if v.Key == p.Path || strings.HasPrefix(v.Key, p.Path+".") {
			return &SettingError{v, p.What, p.Hint}
		}
	}
	return &SettingError{settings[0], p.Message(), p.Hint}
}
