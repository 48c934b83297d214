package source

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var plainCSV = &Format{
	Name: "csv", Title: "CSV with gpucost's own columns", Kind: KindFile,
	Unit: "as the per column says; without one, an hour of the whole row", Licence: "the user's own", Class: FileClass,
	Shape: Verified, Evidence: "this program's own columns and those of compare -o csv",
	Docs: "https://github.com/gpucost/gpucost", Get: "any spreadsheet", Confidence: catalog.Medium, Cap: 1 << 30,
	read: readPlainCSV,
}

// plainColumns are the words for each column. The first is ours; the price
// columns name their unit.
var plainColumns = map[string][]string{
	"provider": {"provider", "cloud", "vendor"}, "instance": {"instance", "instance_type", "machine"}, "tier": {"tier"}, "region": {"region", "location"},
	"gpu": {"gpu", "description", "gpu_name", "accelerator"}, "gpus": {"gpus", "gpu_count", "count"}, "purchase": {"purchase"}, "term": {"term_months"},
	"currency": {"currency"}, "per": {"per", "unit"}, "as_of": {"as_of", "date"}, "source": {"source"}, "confidence": {"confidence"}, "note": {"note", "notes"},
	"memory": {"gpu_memory_gb", "memory_gb"}, "vcpus": {"vcpus"}, "ram": {"memory_gib"}, "plan": {"plan"},
	"amount": {"amount", "price", "price_per_hour"}, "gpu_hour": {"price_per_gpu_hour"}, "instance_hour": {"price_per_instance_hour"},
	"low": {"low"}, "high": {"high"}, "gpu_low": {"price_per_gpu_hour_low"}, "gpu_high": {"price_per_gpu_hour_high"},
}

// plain is a file of a person: one faulty cell ends the import with its line,
// so that nothing half-right is taken over.
type plain struct {
	*table
	col  map[string]string
	dec  Decimal
	gpus map[string]gpuText // what was read already
}

type gpuText struct {
	gpus     unit.Count
	gpu      string
	memoryGB float64
}

func readPlainCSV(c *collect, r io.Reader) error {
	br, err := notAPage(r)
	if err != nil {
		return err
	}
	comma := delimiter(br)
	t, err := c.openPlain(br, c.f.bodyCap(), comma)
	if err != nil {
		return err
	}
	p := &plain{table: t, col: map[string]string{}, dec: c.opt.Decimal, gpus: map[string]gpuText{}}
	for ours, words := range plainColumns {
		for _, w := range words {
			if _, ok := t.name[w]; ok {
				p.col[ours] = w
				break
			}
		}
	}
	if p.col["amount"] == "" && p.col["gpu_hour"] == "" && p.col["instance_hour"] == "" {
		return errors.New("no price column: want amount, price, price_per_hour, price_per_gpu_hour or price_per_instance_hour")
	}
	if t.over > 0 {
		c.warn("%d lines above the header were passed over", t.over)
	}
	for {
		more, err := t.next()
		if err != nil || !more {
			return err
		}
		c.b.Records++
		if err := c.plainRow(p); err != nil {
			return fmt.Errorf("%w (line %d)", err, t.line())
		}
	}
}

// openPlain finds the header by the column that names the GPU.
func (c *collect) openPlain(br *bufio.Reader, limit int64, comma rune) (*table, error) {
	head, _ := br.Peek(64 << 10)
	for _, gpu := range plainColumns["gpu"] {
		for line := range strings.SplitSeq(string(head), "\n") {
			cells := strings.FieldsFunc(strings.TrimSuffix(line, "\r"), func(r rune) bool { return r == comma })
			if !strings.HasPrefix(line, "#") && slices.ContainsFunc(cells, func(s string) bool { return strings.EqualFold(strings.Trim(s, "\" "), gpu) }) {
				return c.openTable(br, limit, comma, gpu)
			}
		}
	}
	return nil, fmt.Errorf("no header: want a column gpu (or %s)", strings.Join(plainColumns["gpu"][1:], ", "))
}

// delimiter is what separates the cells: a semicolon or a tab where the first
// lines have no comma outside of numbers.
func delimiter(br *bufio.Reader) rune {
	head, _ := br.Peek(4096)
	for line := range strings.SplitSeq(string(head), "\n") {
		for _, c := range ";\t" {
			if strings.Count(line, string(c)) >= 2 && !strings.HasPrefix(line, "#") {
				return c
			}
		}
		if strings.Count(line, ",") >= 2 {
			return ','
		}
	}
	return ','
}

func (p *plain) text(ours string) string { return p.get(p.col[ours]) }

var grouped = pattern(`^\d{1,3}(\.\d{3})*(,\d+)?$|^\d+(,\d+)?$`)

// number is a cell as a plain decimal. With a decimal comma, points group
// thousands; without it, a comma is an error and never a thousands separator.
func (p *plain) number(ours string) (num, error) {
	s := p.text(ours)
	n := cell(s)
	if n == "" {
		return "", nil
	}
	if p.dec == Comma {
		if !grouped().MatchString(s) {
			return "", fmt.Errorf("not a plain number: %q", s)
		}
		n = num(strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1))
	}
	if _, err := money.Parse(string(n), "USD"); err != nil {
		return "", fmt.Errorf("not a plain number: %q", s)
	}
	return n, nil
}

func (c *collect) plainRow(p *plain) error {
	words, ok := p.gpus[p.text("gpu")]
	if !ok {
		text := strings.Clone(p.text("gpu"))
		words.gpus, words.gpu, words.memoryGB = gpuWords(text)
		if len(p.gpus) < maxWords {
			p.gpus[text] = words
		}
	}
	gpus, gpu, memory := words.gpus, words.gpu, words.memoryGB
	if s := p.text("gpus"); s != "" {
		n, err := num(s).count()
		if err != nil {
			return fmt.Errorf("gpus %q: %w", s, err)
		}
		gpus = n
	}
	if n, err := p.number("memory"); err != nil {
		return err
	} else if n != "" {
		memory = n.float()
	}
	o := catalog.Offer{
		Provider: strings.ToLower(p.text("provider")), Instance: p.text("instance"), Tier: p.text("tier"), Region: p.text("region"),
		GPU: gpu, GPUs: gpus, GPUMemoryGB: memory, VCPUs: num(p.text("vcpus")).float(), MemoryGiB: num(p.text("ram")).float(), Kind: "vm",
	}
	if o.Provider == "" && c.opt.Provider == "" {
		o.Provider = "imported"
		c.warn("no provider column: the provider is called imported; name one with --provider")
	}
	if o.Instance == "" {
		o.Instance = strings.TrimSpace(gpus.String() + "x " + gpu)
	}
	price, n, err := c.plainPrice(p, gpus)
	if err != nil {
		return err
	}
	prices, err := c.plainAmounts(p, price, n)
	if err != nil {
		return err
	}
	c.offer(fmt.Sprintf("line %d: %s %s", p.line(), o.Provider, o.GPU), o, prices...)
	return nil
}

// plainPrice is the price's kind and its number.
func (c *collect) plainPrice(p *plain, gpus unit.Count) (catalog.Price, num, error) {
	price := catalog.Price{
		Purchase: catalog.Purchase(cmp.Or(p.text("purchase"), "on_demand")), Plan: p.text("plan"), Note: strings.Clone(p.text("note")),
		Ref: strings.Clone(p.text("source")), Confidence: catalog.Confidence(p.text("confidence")),
	}
	if !slices.Contains(catalog.Purchases(), price.Purchase) {
		return price, "", fmt.Errorf("unknown purchase %q", price.Purchase)
	}
	price.Purchase, price.Plan = catalog.Purchase(c.word(string(price.Purchase))), c.word(price.Plan)
	if price.Confidence = catalog.Confidence(c.word(string(price.Confidence))); price.Confidence != "" && price.Confidence != catalog.High && price.Confidence != catalog.Medium && price.Confidence != catalog.Low {
		return price, "", fmt.Errorf("unknown confidence %q", price.Confidence)
	}
	if s := p.text("term"); s != "" {
		months, ok := num(s).int()
		if !ok || months < 0 || months > 120 {
			return price, "", fmt.Errorf("term_months %q is not a number of months", s)
		}
		price.TermMonths = int(months)
	}
	if s := p.text("as_of"); s != "" {
		d, err := catalog.ParseDate(s)
		if err != nil {
			return price, "", err
		}
		price.AsOf = d
	}
	for _, col := range []struct {
		ours string
		per  unit.Per
	}{{"instance_hour", unit.PerInstanceHour}, {"gpu_hour", unit.PerGPUHour}} {
		n, err := p.number(col.ours)
		if err != nil || n != "" {
			price.Per = col.per
			return price, n, err
		}
	}
	n, err := p.number("amount")
	if err != nil {
		return price, "", err
	}
	switch per := p.text("per"); {
	case per != "":
		price.Per, err = unit.ParsePer(per)
	case gpus == unit.Whole(1):
		price.Per = unit.PerGPUHour
	default:
		price.Per = unit.PerInstanceHour
		c.warn("no per column: prices are read as an hour of the whole row, not of one GPU")
	}
	return price, n, err
}

// plainAmounts is the price of a row: its range where one is stated, else its
// one amount.
func (c *collect) plainAmounts(p *plain, price catalog.Price, n num) ([]catalog.Price, error) {
	cur := money.Currency(strings.ToUpper(p.text("currency")))
	if !catalog.KnownCurrency(cur) {
		return nil, fmt.Errorf("currency %q is missing or not an ISO 4217 code", cur)
	}
	cur = money.Currency(c.word(string(cur)))
	at := fmt.Sprintf("line %d", p.line())
	for _, r := range []struct {
		low, high string
		per       unit.Per
	}{{"low", "high", price.Per}, {"gpu_low", "gpu_high", unit.PerGPUHour}} {
		low, err := p.number(r.low)
		if err != nil {
			return nil, err
		}
		high, err := p.number(r.high)
		if err != nil {
			return nil, err
		}
		if low == "" || high == "" || low == high {
			continue
		}
		price.Per = r.per
		a, b := c.price(at, price, low, cur, whole), c.price(at, price, high, cur, whole)
		if len(a) == 0 || len(b) == 0 || a[0].Low.Cmp(b[0].Low) > 0 {
			return nil, fmt.Errorf("low %s and high %s are not a range", low, high)
		}
		a[0].High = b[0].Low
		return a, nil
	}
	return c.price(at, price, n, cur, whole), nil
}

var countWords = pattern(`^(\d+)\s*[x×*]\s*(\S.*)$`)

// gpuWords reads "8x RTX PRO 6000 96GB": how many, which, how much memory in
// GB (0 when it is not there). Without a number it is one.
func gpuWords(s string) (gpus unit.Count, gpu string, memoryGB float64) {
	gpus, gpu = unit.Whole(1), s
	if m := countWords().FindStringSubmatch(s); m != nil {
		if n, err := num(m[1]).count(); err == nil {
			gpus, gpu = n, m[2]
		}
	}
	if _, gb := memoryInWords(gpu); gb > 0 {
		memoryGB = gb
	}
	return gpus, strings.TrimSpace(gpu), memoryGB
}
