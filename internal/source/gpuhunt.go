package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var gpuhunt = &Format{
	Name: "gpuhunt", Title: "gpuhunt catalog (v3 csv or zip)", Kind: KindCatalog,
	Unit: "instance-hour USD", Licence: "MPL-2.0 code; none found for the data", Class: ListPrice,
	Shape: Verified, Evidence: "storage.py and integrity tests of dstackai/gpuhunt; no stored file",
	Docs: "https://github.com/dstackai/gpuhunt", Confidence: catalog.Medium, Tax: "excluded", MinRecords: 5,
	Requests: []Request{{URL: "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/{each}/latest/catalog.zip"}},
	EachIs:   "provider",
	Each:     []string{"aws", "gcp", "azure", "lambdalabs", "nebius", "oci", "runpod", "vultr", "verda", "hotaisle"},
	read:     readGPUHunt,
}

// Limits of an archive. A zip bomb ends at the first of them.
const (
	maxZipFiles = 64
	maxUnzipped = 256 << 20
)

var gpuhuntProviders = map[string]string{"lambdalabs": "lambda", "datacrunch": "verda", "cudo": "cudo", "vastai": "vast"}

func readGPUHunt(c *collect, r io.Reader) error {
	br := bufio.NewReaderSize(r, 64<<10)
	if head, _ := br.Peek(4); bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return c.gpuhuntZip(br)
	}
	return c.gpuhuntCSV(br, "", maxUnzipped)
}

func (c *collect) gpuhuntZip(r io.Reader) error {
	b, err := readAll(r, c.f.bodyCap())
	if err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	if len(z.File) > maxZipFiles {
		return fmt.Errorf("%w: %d files in the archive", ErrTooLarge, len(z.File))
	}
	left := int64(maxUnzipped)
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, ".csv") {
			c.warn("%s in the archive is not a CSV file", f.Name)
			continue
		}
		if f.UncompressedSize64 > uint64(left) {
			return fmt.Errorf("%w: %s unpacks to %d MiB", ErrTooLarge, f.Name, f.UncompressedSize64>>20)
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		counted := &io.LimitedReader{R: in, N: left}
		err = c.gpuhuntCSV(bufio.NewReader(counted), strings.TrimSuffix(path.Base(f.Name), ".csv"), left-1)
		_ = in.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		left = counted.N
	}
	return nil
}

func (c *collect) gpuhuntCSV(r io.Reader, file string, limit int64) error {
	br, err := notAPage(r)
	if err != nil {
		return err
	}
	t, err := c.openTable(br, limit, ',', "instance_name", "location", "price", "gpu_count", "gpu_name", "spot")
	if err != nil {
		return err
	}
	provider := firstOf(c.opt.Provider, file)
	if provider == "" || provider == "catalog" {
		return errors.New("the file does not say whose prices these are: name the provider")
	}
	if p, ok := gpuhuntProviders[provider]; ok {
		provider = p
	}
	for {
		more, err := t.next()
		if err != nil || !more {
			return err
		}
		c.b.Records++
		c.gpuhuntLine(t, provider)
	}
}

func (c *collect) gpuhuntLine(t *table, provider string) {
	name, what := t.get("instance_name"), t.at()+": "+t.get("instance_name")
	if n, ok := t.num("gpu_count").int(); t.get("gpu_name") == "" && (!ok || n == 0) {
		c.skip("a machine without a GPU", what)
		return
	}
	purchase, ok := map[string]catalog.Purchase{"True": catalog.Spot, "False": catalog.OnDemand}[t.get("spot")]
	if !ok {
		c.reject("spot is neither True nor False", what)
		return
	}
	o := catalog.Offer{
		Provider: provider, Kind: "vm", Instance: name, Region: t.get("location"), GPU: t.get("gpu_name"),
		GPUMemoryGB: t.num("gpu_memory").float(), VCPUs: t.num("cpu").float(), MemoryGiB: t.num("memory").float(), DiskGB: t.num("disk_size").float(),
	}
	o.GPUs, _ = t.num("gpu_count").count()
	if provider == "digitalocean" && o.GPUs.Float() > 1 {
		o.GPUMemoryGB /= o.GPUs.Float() // its rows hold the total of the machine
	}
	c.ownTable(provider, what, &o)
	c.zoned(what, o, c.price(what, catalog.Price{Purchase: purchase, Per: unit.PerInstanceHour}, t.num("price"), "USD", whole)...)
}
