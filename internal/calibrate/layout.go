package calibrate

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/gpucost/gpucost/internal/estimate"
)

// pattern is a regular expression that is compiled when it is first needed.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	tpPattern      = pattern(`(?i)(?:^|[^a-z])(?:async)?tp=?(\d+)`)
	ppPattern      = pattern(`(?i)(?:^|[^a-z])pp=?(\d+)`)
	dpPattern      = pattern(`(?i)(?:^|[^a-z])(?:h?fs)?dp=?(\d+)`)
	cpPattern      = pattern(`(?i)(?:^|[^a-z])cp=?(\d+)`)
	epPattern      = pattern(`(?i)(?:^|[^a-z])ep=?(\d+)`)
	vpPattern      = pattern(`(?i)(?:^|[^a-z])vp=?(\d+)`)
	depPattern     = pattern(`(?i)(?:^|[^a-z])dep(\d+)`)
	attnDPPattern  = pattern(`(?i)dpattn(\d+)`)
	microPattern   = pattern(`(?i)(?:mbs=?|micro-batch |local batch )(\d+)`)
	disaggPattern  = pattern(`(?i)prefill (\d+)x(\d+) GPU, decode (\d+)x(\d+) GPU`)
	measuredOn     = pattern(`measured=(\d{4})-(\d{2})`)
	containerDate  = pattern(`(?:^|\D)(\d{2})\.(\d{2})(?:\.\d+)? NeMo`)
	patchPattern   = pattern(`\d+\.\d+\.(\d+)`)
	versionPattern = pattern(`(\d+)\.(\d+)`)
)

// find is the first number a pattern captures; 0 when it does not match.
func find(p func() *regexp.Regexp, s string) int {
	m := p().FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	v, err := strconv.Atoi(m[1])
	if err != nil || v > 1e6 {
		return 0
	}
	return v
}

// parseLayout reads the parallelism column of any of the sources.
func parseLayout(s string) estimate.Layout {
	l := estimate.Layout{
		TP: find(tpPattern, s), PP: find(ppPattern, s), DP: find(dpPattern, s),
		CP: find(cpPattern, s), EP: find(epPattern, s), Virtual: find(vpPattern, s),
	}
	if n := find(depPattern, s); n > 0 {
		l.AttentionDP, l.EP = true, n
	}
	if n := find(attnDPPattern, s); n > 1 {
		l.AttentionDP = true
		l.EP = max(l.EP, n)
		l.DP = n
	}
	l.LayerSplit = strings.Contains(s, "layer split")
	return l
}

// recomputation reads how much of the forward pass a run repeats; empty when
// the source does not say.
func recomputation(s string) estimate.Recompute {
	l := strings.ToLower(s)
	switch {
	case strings.Contains(l, "act-ckpt true"), strings.Contains(l, "full ac"), strings.Contains(l, "full act"), strings.Contains(l, "+ gc"):
		return estimate.RecomputeFull
	case strings.Contains(l, "selective ac"):
		return estimate.RecomputeSelective
	case strings.Contains(l, "act-ckpt false"), strings.Contains(l, "no act-ckpt"), strings.Contains(l, "no gc"):
		return estimate.RecomputeNone
	case strings.Contains(l, "act-ckpt"), strings.Contains(l, "gradient checkpointing"):
		return estimate.RecomputeFull
	}
	return ""
}
