package catalog

import (
	"strings"

	"github.com/gpucost/gpucost/internal/money"
)

// The ISO 4217 codes in use in 2026, and BGN, which ended with 2025; funds and
// metals are left out.
const isoCurrencies = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD " +
	"CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD " +
	"HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD " +
	"MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG " +
	"QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD " +
	"TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"

// KnownCurrency reports whether c is an active ISO 4217 code.
func KnownCurrency(c money.Currency) bool {
	i := strings.Index(isoCurrencies, string(c))
	return len(c) == 3 && i >= 0 && i%4 == 0
}

// currencyHint helps with a code that is not one.
func currencyHint(text string) string {
	common := map[string]string{
		"RMB": "CNY", "¥": "CNY or JPY", "元": "CNY", "人民币": "CNY", "CNH": "CNY", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP",
	}
	if c := common[strings.ToUpper(text)]; c != "" {
		return "did you mean " + c + "?"
	}
	if c := strings.ToUpper(text); KnownCurrency(money.Currency(c)) {
		return "did you mean " + c + "?"
	}
	return didYouMean(text, strings.Fields(isoCurrencies))
}
