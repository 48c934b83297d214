package source

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Price queries of the Chinese clouds answer for one machine without naming
// it. Such an answer is read together with what was asked:
//
//	[{"request": {"InstanceType": "...", ...}, "response": {...}}, ...]
//
// or one such object. The request's keys are those of the query, and where the
// query does not say what the machine holds, "GPU", "GPUs" and "GPUMemoryGB".
type exchange struct {
	at       string
	request  map[string]num
	response json.RawMessage
}

// get is a value of the request, whatever the case of its key.
func (x *exchange) get(keys ...string) string {
	for _, k := range keys {
		for have, v := range x.request {
			if strings.EqualFold(have, k) && v != "" {
				return string(v)
			}
		}
	}
	return ""
}

// units is a whole number of the request, 1 when it does not stand there.
func (x *exchange) units(keys ...string) (int64, error) {
	s := x.get(keys...)
	if s == "" {
		return 1, nil
	}
	n, ok := num(s).int()
	if !ok || n < 1 || n > 1_000_000 {
		return 0, fmt.Errorf("%s is %q, want a whole number above 0", keys[0], s)
	}
	return n, nil
}

// exchanges decodes a body of exchanges and calls f for each; an error of f
// rejects that one.
func (c *collect) exchanges(r io.Reader, f func(exchange) error) error {
	var raw json.RawMessage
	if err := c.decodeJSON(r, &raw); err != nil {
		return err
	}
	list := []json.RawMessage{raw}
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
	}
	for i, raw := range list {
		at := fmt.Sprintf("exchange %d", i+1)
		v, ok := item[struct {
			Request  map[string]num  `json:"request"`
			Response json.RawMessage `json:"response"`
		}](c, at, raw)
		if !ok {
			continue
		}
		if v.Request == nil || v.Response == nil {
			return fmt.Errorf("%s: the answer does not say what was asked: want {\"request\": {...}, \"response\": {...}}", at)
		}
		x := exchange{at: at, request: v.Request, response: v.Response}
		if err := f(x); err != nil {
			c.reject(err.Error(), at+" "+x.get("InstanceType", "InstanceTypeId", "GpuType", "GPU"))
		}
	}
	return nil
}
