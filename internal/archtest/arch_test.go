// Package archtest holds tests only: who may import whom, no floating-point
// number in money, and no exit outside cmd. See docs/architecture.md.
package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/gpucost/gpucost/"

// arrows says which rooms of the project each room may import. Everything
// else is forbidden.
var arrows = map[string]string{
	"cmd/gpucost":             "internal/cli",
	"cmd/gendocs":             "internal/cli",
	"cmd/gencatalog":          "internal/catalog data",
	"cmd/gencalibration":      "internal/calibrate internal/estimate internal/catalog data",
	"internal/cli":            "internal/present internal/claims internal/web internal/history internal/source internal/calibrate internal/estimate internal/spot internal/spot/buying internal/spot/spotcheck internal/purchase internal/pricing internal/catalog internal/money internal/unit data",
	"internal/web":            "internal/present internal/estimate internal/spot internal/purchase internal/pricing internal/catalog internal/money internal/unit",
	"internal/present":        "internal/claims internal/estimate internal/spot internal/spot/buying internal/purchase internal/pricing internal/catalog internal/money internal/unit",
	"internal/claims":         "internal/estimate internal/spot internal/spot/buying internal/pricing internal/catalog internal/money internal/unit",
	"internal/calibrate":      "internal/estimate internal/spot internal/catalog internal/unit",
	"internal/history":        "internal/catalog internal/money internal/unit",
	"internal/source":         "internal/catalog internal/money internal/unit",
	"internal/estimate":       "internal/spot internal/spot/buying internal/purchase internal/pricing internal/catalog internal/money internal/unit",
	"internal/purchase":       "internal/spot internal/spot/buying internal/pricing internal/catalog internal/money internal/unit",
	"internal/pricing":        "internal/catalog internal/money internal/unit",
	"internal/spot":           "internal/unit",
	"internal/spot/buying":    "internal/spot internal/unit",
	"internal/spot/spotcheck": "internal/spot internal/spot/buying internal/unit",
	"internal/catalog":        "internal/money internal/unit",
	"internal/money":          "",
	"internal/unit":           "",
	"internal/archtest":       "",
	"data":                    "",
}

// owners says which room alone may use a library.
var owners = map[string][]string{
	"gopkg.in/yaml.v3":                  {"internal/catalog"},
	"github.com/olekukonko/tablewriter": {"internal/present"},
	"github.com/spf13/cobra":            {"internal/cli", "cmd/gendocs"},
	"github.com/spf13/viper":            {"internal/cli"},
	"modernc.org/sqlite":                {"internal/history"},
	"github.com/jackc/pgx":              {"internal/history"},
	"net/http":                          {"internal/source", "internal/web", "internal/cli"},
	"github.com/parquet-go/parquet-go":  {}, // tests only: docs/adr/0005-parquet-writer.md
	"github.com/expr-lang/expr":         {"internal/pricing"},
}

// pure rooms must not reach the operating system, the network or a clock.
var pure = []string{"internal/money", "internal/unit", "internal/catalog", "internal/pricing", "internal/spot", "internal/purchase", "internal/estimate", "internal/claims"}

type file struct {
	path, room string
	test       bool
	ast        *ast.File
}

func sources(t *testing.T) []file {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []file
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() {
			if name := d.Name(); rel == "tools" || name == "testdata" || name == "examples" || name != ".." && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		out = append(out, file{filepath.ToSlash(rel), filepath.ToSlash(filepath.Dir(rel)), strings.HasSuffix(path, "_test.go"), f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d Go files found", len(out))
	}
	return out
}

func imports(f file) []string {
	var out []string
	for _, s := range f.ast.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		out = append(out, p)
	}
	return out
}

func TestArrows(t *testing.T) {
	for _, f := range sources(t) {
		allowed, known := arrows[f.room]
		if !known {
			t.Errorf("%s: %s is no room of the house: add it to docs/architecture.md and here", f.path, f.room)
			continue
		}
		for _, p := range imports(f) {
			room, ours := strings.CutPrefix(p, module)
			if ours && !f.test && room != f.room && !slices.Contains(strings.Fields(allowed), room) {
				t.Errorf("%s: %s must not import %s", f.path, f.room, room)
			}
		}
	}
}

func TestLibraryOwners(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, p := range imports(f) {
			for lib, rooms := range owners {
				if (p == lib || strings.HasPrefix(p, lib+"/")) && !slices.Contains(rooms, f.room) {
					t.Errorf("%s: only %v may import %s", f.path, rooms, lib)
				}
			}
			if p == "os" && slices.Contains(pure, f.room) || p == "net" && slices.Contains(pure, f.room) {
				t.Errorf("%s: %s is pure and must not import %s", f.path, f.room, p)
			}
		}
	}
}

// In money a floating-point number may only enter and leave as a physical
// quantity, in quantity.go.
func TestNoFloatInMoney(t *testing.T) {
	for _, f := range sources(t) {
		if f.room != "internal/money" || f.test || strings.HasSuffix(f.path, "/quantity.go") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && (id.Name == "float64" || id.Name == "float32") {
				t.Errorf("%s: a %s in money", f.path, id.Name)
			}
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.FLOAT {
				t.Errorf("%s: the floating-point constant %s in money", f.path, lit.Value)
			}
			return true
		})
	}
}

func TestNoExitNorClockOutsideTheEdge(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch name := pkg.Name + "." + sel.Sel.Name; name {
			case "os.Exit", "log.Fatal", "log.Fatalf":
				if !strings.HasPrefix(f.room, "cmd/") {
					t.Errorf("%s: %s outside cmd", f.path, name)
				}
			case "time.Now", "time.Since":
				if slices.Contains(pure, f.room) || f.room == "internal/present" {
					t.Errorf("%s: %s: the clock is the caller's", f.path, name)
				}
			}
			return true
		})
	}
}

// A file that says where it was made says too much.
func TestNoMachinePaths(t *testing.T) {
	for _, f := range sources(t) {
		b, err := os.ReadFile(filepath.Join("..", "..", f.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"/" + "work/", "/" + "root/", "/" + "home/"} {
			if strings.Contains(string(b), `"`+bad) {
				t.Errorf("%s: holds an absolute path %s", f.path, bad)
			}
		}
	}
}

// Every start waits for what package variables are made of, also a start that
// uses none of it: patterns compile when they are first needed.
func TestNoPatternCompiledAtStart(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(vars, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if ok && call.Sel.Name == "MustCompile" {
					t.Errorf("%s: a pattern is compiled at every start: see sync.OnceValue", f.path)
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
	}
}
