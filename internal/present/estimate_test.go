package present

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/estimate"
)

// The texts of estimate exist in both languages and take the same arguments.
func TestEstimateTexts(t *testing.T) {
	for key, text := range estimateEN() {
		other, ok := estimateZH()[key]
		if !ok {
			t.Errorf("%s has no Chinese text", key)
			continue
		}
		if diff := cmp.Diff(verbs(text), verbs(other)); diff != "" {
			t.Errorf("%s takes different arguments:\n%s", key, diff)
		}
	}
	for key := range estimateZH() {
		if _, ok := estimateEN()[key]; !ok && !strings.HasPrefix(key, "est.doubt.") { // English doubts are the engine's own words
			t.Errorf("%s has no English text", key)
		}
	}
}

// Every doubt of the engine can be said in Chinese.
func TestDoubtsInChinese(t *testing.T) {
	e := Estimation{Lang: ZH}
	for _, w := range []estimate.Warning{
		estimate.NewWarning(estimate.WarnInterrupted), estimate.NewWarning(estimate.WarnStorage, "5 GB"), estimate.NewWarning(estimate.WarnNetwork), estimate.NewWarning(estimate.WarnVariant, "H100"),
		estimate.NewWarning(estimate.WarnUnmeasured), estimate.NewWarning(estimate.WarnCluster, int64(20)), estimate.NewWarning(estimate.WarnLate, 50.0, 48.0), estimate.NewWarning(estimate.WarnOutlier, "0.20 USD", 0.1),
		estimate.NewWarning(estimate.WarnOneRun), estimate.NewWarning(estimate.WarnAlone), estimate.NewWarning(estimate.WarnPublished, "AUD"), estimate.NewWarning(estimate.WarnAllowance, "100"),
		estimate.NewWarning(estimate.WarnImageWork), estimate.NewWarning(estimate.WarnHost, 1129.0),
	} {
		text := e.doubt(w)
		if text == w.Message.String() || strings.Contains(text, "%!") || text == "" {
			t.Errorf("%s: %q", w.Code, text)
		}
	}
}

// Hours of very different runs fit a narrow column.
func TestBriefHours(t *testing.T) {
	for _, tc := range []struct {
		low, mid, high float64
		want           string
	}{
		{8.3, 11.4, 44.2, "11 (8.3–44) h"}, {1.64, 2.2, 8.6, "2.2 (1.6–8.6) h"}, {105, 105, 105, "4.4 d"}, {0.02, 0.05, 0.1, "3 (1.2–6) min"}, {3.125, 3.125, 3.125, "3.1 h"},
	} {
		got := briefHours(&estimate.Triple{Low: tc.low, Mid: tc.mid, High: tc.high}, EN)
		if got != tc.want {
			t.Errorf("%v: %q, want %q", tc, got, tc.want)
		}
	}
}
