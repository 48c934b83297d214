package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var updateClaims = flag.Bool("update-claims", false, "write docs/claims*.md")

// run is one command line, in process.
func claimsRun(t *testing.T, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs bytes.Buffer
	env := []string{"LC_ALL=C.UTF-8", "XDG_CONFIG_HOME=" + t.TempDir(), "COLUMNS=80"}
	exit = Main(context.Background(), append([]string{"claims"}, args...), env, strings.NewReader(""), &out, &errs)
	return out.String(), errs.String(), exit
}

// The published pages are what the program says of the shipped data on one day;
// go generate writes them anew.
func TestPublishedClaims(t *testing.T) {
	for lang, name := range map[string]string{"en": "../../docs/claims.md", "zh": "../../docs/claims.zh.md"} {
		got, errs, exit := claimsRun(t, "-o", "markdown", "--now", "2026-11-30", "--lang", lang)
		if exit != 0 {
			t.Fatalf("exit %d: %s", exit, errs)
		}
		if *updateClaims {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not what the program says: go generate ./internal/cli", name)
		}
	}
}

func TestClaimsContract(t *testing.T) {
	out, errs, exit := claimsRun(t, "-o", "json", "--now", "2026-11-30")
	if exit != 0 {
		t.Fatalf("exit %d: %s", exit, errs)
	}
	var doc struct {
		Claims []map[string]any `json:"claims"`
		Counts map[string]int   `json:"counts"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range doc.Counts {
		total += n
	}
	if len(doc.Claims) < 62 || total != len(doc.Claims) {
		t.Errorf("%d claims, counts of %d", len(doc.Claims), total)
	}
	for _, c := range doc.Claims {
		for key := range strings.FieldsSeq("id source text text_zh verdict condition article_value our_value why why_zh inputs sources") {
			if _, ok := c[key]; !ok {
				t.Errorf("%v has no %s", c["id"], key)
			}
		}
	}
}

func TestClaimsChoice(t *testing.T) {
	for _, tc := range []struct {
		args, stdout, stderr string
		exit                 int
	}{
		{"claim-37", "312 TFLOPS", "", 0},
		{"claim-37 --lang zh", "成立", "", 0},
		{"--topic hardware --verdict holds -o csv", "claim-37", "", 0},
		{"--article guide-2026 --topic owning -o ndjson", `"id":"claim-35"`, "", 0},
		{"claim-31 --verdict does_not_hold", "", "no claim matches", 4},
		{"claim-370", "", "did you mean", 2},
		{"--verdict true", "", "unknown verdict", 2},
		{"--topic money", "", "unknown topic", 2},
		{"--article times", "", "unknown article", 2},
	} {
		out, errs, exit := claimsRun(t, append(strings.Fields(tc.args), "--now", "2026-11-30")...)
		if exit != tc.exit || !strings.Contains(out, tc.stdout) || !strings.Contains(errs, tc.stderr) {
			t.Errorf("claims %s: exit %d\n%s\n%s", tc.args, exit, out, errs)
		}
	}
}
