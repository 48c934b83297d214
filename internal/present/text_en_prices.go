package present

// pricesEN holds the text of prices, watch and metrics, and of a store.
var pricesEN = map[string]string{
	"store.empty":      "it holds no price",
	"store.fallback":   "Store not used: %s. The embedded catalog answers alone.",
	"store.used":       "With %d prices of the store: %d sources, last answered %s to %s ago (oldest: %s).",
	"store.past_limit": "Older than such prices should be: %s. Renew: gpucost prices refresh.",
}
