package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gpucost/gpucost/internal/present"
)

// progress tells on standard error what a refresh is doing: a line for each
// source that is done, and on a terminal a bar below them.
type progress struct {
	mu          sync.Mutex
	w           io.Writer
	lang        present.Lang
	width       int // of the terminal; 0: it is none
	total, n    int
	now, shown  string
	ascii, dumb bool
}

func (a *App) newProgress(total int) *progress {
	p := &progress{w: a.Stderr, lang: a.lang(), total: total, ascii: a.settings.is("ascii"), dumb: a.Env("TERM") == "dumb"}
	if a.ErrTerminal != nil && !p.dumb {
		if width, ok := a.ErrTerminal(); ok {
			p.width = max(width, 20)
		}
	}
	return p
}

// page is told of each page that was read.
func (p *progress) page(source string, page, records int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.lang.T("refresh.page", source, page, records)
	p.draw()
}

// done tells what became of a source.
func (p *progress) done(r present.RefreshRow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.n++
	if r.Verdict != "skipped" { // the table names those
		fmt.Fprintf(p.w, "gpucost: %s\n", r.Line(p.lang))
	}
	p.draw()
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.shown != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = ""
	}
}

const barCells = 20

func (p *progress) draw() {
	if p.width == 0 || p.n >= p.total {
		return
	}
	full, empty := "█", "░"
	if p.ascii {
		full, empty = "#", "."
	}
	done := barCells * p.n / max(p.total, 1)
	line := fmt.Sprintf("%s%s %d/%d %s", strings.Repeat(full, done), strings.Repeat(empty, barCells-done), p.n, p.total, p.now)
	line = present.Cut(line, p.width-1)
	if line != p.shown {
		p.erase()
		fmt.Fprint(p.w, line)
		p.shown = line
	}
}
