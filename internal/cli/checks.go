package cli

import "github.com/gpucost/gpucost/internal/present"

// checks is what doctor found.
type checks struct {
	rows [][3]string
	bad  int
}

func (c *checks) add(ok bool, name, what string) {
	result := "ok"
	if !ok {
		result = "attention"
		c.bad++
	}
	c.rows = append(c.rows, [3]string{name, result, what})
}

func (c *checks) listing(l present.Lang) present.Listing {
	out := present.Listing{Kind: "checks", Columns: []present.Column{
		{Key: "check", Head: l.T("col.check")}, {Key: "result", Head: l.T("col.result")}, {Key: "what", Head: l.T("col.what"), Flex: true},
	}}
	for _, r := range c.rows {
		out.Items = append(out.Items, map[string]string{"check": r[0], "result": r[1], "what": r[2]})
		out.Rows = append(out.Rows, []present.Cell{present.Text(r[0]), present.Text(r[1]), present.Text(r[2])})
	}
	return out
}
