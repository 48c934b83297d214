package source

import (
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Canary is a pinned price: when the source says something far from it, the
// source or its reader has changed its unit.
type Canary struct {
	Instance, Region string
	Purchase         catalog.Purchase
	Amount           string // plain decimal
	Currency         money.Currency
	Per              unit.Per
}
