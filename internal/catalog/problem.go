package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a problem stops the work.
type Severity int

// An error makes a file unusable; a warning is a doubt about a figure.
const (
	SeverityError Severity = iota
	SeverityWarning
)

// String is "error" or "warning".
func (s Severity) String() string {
	if s == SeverityWarning {
		return "warning"
	}
	return "error"
}

// Problem is a fault or a doubt in data, with the place where it stands. The
// codes are stable and described in docs/lint.md.
type Problem struct {
	Code      string
	Severity  Severity
	File      string
	Line, Col int    // from 1; 0 is not known
	Path      string // such as providers[3].offers[0].prices[1].per, or words that name the offer
	What      string
	Hint      string // the likely remedy, without "hint:"
}

// Where is file:line:column, as far as it is known.
func (p Problem) Where() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Message is the path and what is wrong there.
func (p Problem) Message() string {
	if p.Path == "" {
		return p.What
	}
	return p.Path + ": " + p.What
}

// String is one line: file:line:column: path: what.
func (p Problem) String() string {
	if where := p.Where(); where != "" {
		return where + ": " + p.Message()
	}
	return p.Message()
}

// maxProblems bounds a report on a hopeless file.
const maxProblems = 1000

// Problems are the faults and doubts of one reading, in the order of the file.
type Problems []Problem

// Error joins the errors, one a line, each with its hint.
func (ps Problems) Error() string {
	var lines []string
	for _, p := range ps.Errors() {
		lines = append(lines, p.String())
		if p.Hint != "" {
			lines = append(lines, "hint: "+p.Hint)
		}
	}
	return strings.Join(lines, "\n")
}

// Err is nil unless there is an error among the problems.
func (ps Problems) Err() error {
	if len(ps.Errors()) == 0 {
		return nil
	}
	return ps
}

// Errors are the problems that stop the work.
func (ps Problems) Errors() Problems { return ps.with(SeverityError) }

// Warnings are the doubts.
func (ps Problems) Warnings() Problems { return ps.with(SeverityWarning) }

func (ps Problems) with(s Severity) Problems {
	var out Problems
	for _, p := range ps {
		if p.Severity == s {
			out = append(out, p)
		}
	}
	return out
}

// CodeCount is how often a code occurs.
type CodeCount struct {
	Code     string
	Severity Severity
	Count    int
}

// Counts tells how often each code occurs: errors first, then the most
// frequent.
func (ps Problems) Counts() []CodeCount {
	var out []CodeCount
	for _, p := range ps {
		i := slices.IndexFunc(out, func(c CodeCount) bool { return c.Code == p.Code && c.Severity == p.Severity })
		if i < 0 {
			i, out = len(out), append(out, CodeCount{p.Code, p.Severity, 0})
		}
		out[i].Count++
	}
	slices.SortFunc(out, func(a, b CodeCount) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// sorted puts problems in the order of their places; the order is total.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code), cmp.Compare(a.What, b.What),
		)
	})
	return ps
}

// capped cuts a hopeless report and says so.
func (ps Problems) capped() Problems {
	if len(ps) <= maxProblems {
		return ps
	}
	cut := ps[:maxProblems:maxProblems]
	last := cut[maxProblems-1]
	return append(cut, Problem{
		Code: "too-many", File: last.File, Line: last.Line, Col: last.Col,
		What: fmt.Sprintf("%d further problems are not listed", len(ps)-maxProblems),
	})
}

// Folded keeps the first perCode problems of each code and says how many more
// there are, after the last of them.
func (ps Problems) Folded(perCode int) Problems {
	var out Problems
	left := map[string]int{}
	for _, p := range ps {
		if left[p.Code]++; left[p.Code] <= perCode {
			out = append(out, p)
		}
	}
	for _, c := range ps.Counts() {
		if more := left[c.Code] - perCode; more > 0 {
			out = append(out, Problem{Code: c.Code, Severity: c.Severity, What: fmt.Sprintf("%d more of %s", more, c.Code)})
			left[c.Code] = 0
		}
	}
	return out
}
