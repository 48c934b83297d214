package cli

import "testing"

func TestWithoutPassword(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"prices.db", "prices.db"},
		{"/a/b@c.db", "/a/b@c.db"},
		{"sqlite:x.db", "sqlite:x.db"},
		{"pass show x/%s", "pass show x/%s"},
		{"postgres://me@db/prices", "postgres://me@db/prices"},
		{"postgres://me:secret@db:5432/prices?sslmode=require", "postgres://me:xxxxx@db:5432/prices?sslmode=require"},
		{"postgres://db/prices?password=secret&user=me", "postgres://db/prices?password=xxxxx&user=me"},
		{"postgres://me:sec%ret@db/prices", "...db/prices"}, // not a URL: nothing before the host is shown
	} {
		if got := withoutPassword(c[0]); got != c[1] {
			t.Errorf("%q is shown as %q, want %q", c[0], got, c[1])
		}
	}
}
