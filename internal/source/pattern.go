package source

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first needed:
// most commands read no list, and every one would wait for all of them.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
