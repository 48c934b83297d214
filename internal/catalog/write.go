package catalog

import (
	"io"

	"github.com/gpucost/gpucost/internal/money"
)

// WriteYAML writes a catalog or an overlay in the format that [Load] and
// [LoadOverlay] read, the prices of an offer one a line. What is read back
// equals c but for places, digest and the notes of overrides that were applied.
func WriteYAML(w io.Writer, c *Catalog) error {
	f := wireFile{Schema: schemaVersion, AsOf: c.AsOf}
	for _, s := range c.Sources {
		f.Sources = append(f.Sources, wireSource(s))
	}
	for _, x := range c.FX {
		f.FX = append(f.FX, wireFX{Base: x.Base, Quote: x.Quote, Rate: x.Value, AsOf: x.AsOf, Source: x.Source, Ref: x.Ref, Confidence: x.Confidence, Note: x.Note})
	}
	for _, g := range c.GPUs {
		f.GPUs = append(f.GPUs, wireGPU(g))
	}
	for _, m := range c.Models {
		f.Models = append(f.Models, wireModel(m))
	}
	for _, s := range c.Serverless {
		f.Serverless = append(f.Serverless, wireServerless(s))
	}
	for _, t := range c.Tokens {
		f.Tokens = append(f.Tokens, wireToken(t))
	}
	for _, o := range c.Ownership {
		f.Ownership = append(f.Ownership, wireOwnershipCost{Item: o.Item, Low: Decimal(o.Low), High: Decimal(o.High), Unit: o.Unit, Currency: o.Currency, Source: o.Source, Ref: o.Ref, AsOf: o.AsOf, Confidence: o.Confidence, Note: o.Note})
	}
	for _, x := range c.Interruption {
		f.Interruption = append(f.Interruption, wireInterruption(x))
	}
	for _, o := range c.Overrides {
		f.Overrides = append(f.Overrides, wireOverrideAt{wireOverride: wireOverride(o)})
	}
	f.Providers = wireProviders(c)
	return Encode(w, f)
}

// wireProviders nests the offers under their providers, also under those that
// are not described.
func wireProviders(c *Catalog) []wireProvider {
	at := map[string]int{}
	var out []wireProvider
	for _, p := range c.Providers {
		w := wireProvider{providerKey: providerKey(p), Billing: wireBilling(p.Billing)}
		for _, s := range p.Storage {
			w.Storage = append(w.Storage, wireStorage(s))
		}
		at[p.ID], out = len(out), append(out, w)
	}
	for i := range c.Offers {
		o := &c.Offers[i]
		j, known := at[o.Provider]
		if !known {
			j = len(out)
			at[o.Provider], out = j, append(out, wireProvider{providerKey: providerKey{ID: o.Provider}})
		}
		out[j].Offers = append(out[j].Offers, wireOfferOf(o))
	}
	return out
}

func wireOfferOf(o *Offer) wireOffer {
	w := wireOffer{offerKey: offerKey(*o)}
	if o.DiskPrice.Known() {
		w.DiskPriceGBMonth = Decimal(o.DiskPrice.String())
	}
	for _, p := range o.Prices {
		x := wirePrice{priceKey: priceKey(p)}
		if p.Low == p.High {
			x.Amount, x.Low, x.High = new(p.Low), money.Amount{}, money.Amount{}
		}
		w.Prices = append(w.Prices, x)
	}
	return w
}
