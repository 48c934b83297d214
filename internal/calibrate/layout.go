package calibrate

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

var (
	tpPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:async)?tp=?(\d+)`)
	ppPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])pp=?(\d+)`)
	dpPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:h?fs)?dp=?(\d+)`)
	cpPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])cp=?(\d+)`)
	epPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])ep=?(\d+)`)
	vpPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])vp=?(\d+)`)
	depPattern     = regexp.MustCompile(`(?i)(?:^|[^a-z])dep(\d+)`)
	attnDPPattern  = regexp.MustCompile(`(?i)dpattn(\d+)`)
	microPattern   = regexp.MustCompile(`(?i)(?:mbs=?|micro-batch |local batch )(\d+)`)
	disaggPattern  = regexp.MustCompile(`(?i)prefill (\d+)x(\d+) GPU, decode (\d+)x(\d+) GPU`)
	measuredOn     = regexp.MustCompile(`measured=(\d{4})-(\d{2})`)
	containerDate  = regexp.MustCompile(`(?:^|\D)(\d{2})\.(\d{2})(?:\.\d+)? NeMo`)
	patchPattern   = regexp.MustCompile(`\d+\.\d+\.(\d+)`)
	versionPattern = regexp.MustCompile(`(\d+)\.(\d+)`)
)

// find is the first number a pattern captures; 0 when it does not match.
func find(p *regexp.Regexp, s string) int {
	m := p.FindStringSubmatch(s)
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
