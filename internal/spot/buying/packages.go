package buying

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseDiscount reads a Chinese discount, which states the share that is PAID:
// "5折" (5 zhe) is half price, "8.8折" and "88折" are 88 % of list, "七五折" is
// 75 %. "zhe" may be written for 折. A percentage is refused: whether it is paid
// or taken off cannot be told.
func ParseDiscount(text string) (paid float64, err error) {
	s := strings.ToLower(strings.TrimSpace(text))
	number, ok := strings.CutSuffix(s, "折")
	if !ok {
		number, ok = strings.CutSuffix(s, "zhe")
	}
	number = strings.TrimSpace(number)
	if !ok || number == "" || len(number) > 8 {
		return 0, fmt.Errorf("discount %q is not written as 5折 or 5 zhe (the share that is paid, in tenths)", text)
	}
	for i, numeral := range []string{"一", "二", "三", "四", "五", "六", "七", "八", "九"} {
		number = strings.ReplaceAll(number, numeral, strconv.Itoa(i+1))
	}
	if strings.Trim(number, "0123456789.") != "" {
		return 0, fmt.Errorf("discount %q is not a number of tenths", text)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v <= 0 || v >= 100 {
		return 0, fmt.Errorf("discount %q is not a number of tenths", text)
	}
	if v > 10 { // "88折" counts in hundredths; "10折" is the full price
		v /= 10
	}
	return v / 10, nil
}

// MonthlyPackage is capacity bought by the month, used or not.
type MonthlyPackage struct {
	PerMonth      float64 // after discounts
	HoursIncluded float64 // above 0; 730 for a whole month
}

// BreakEvenHours is the number of used hours a month from which the package is
// cheaper than on-demand; false when even all included hours do not suffice.
func (m MonthlyPackage) BreakEvenHours(onDemandPerHour float64) (float64, bool) {
	h, ok := ratio(m.PerMonth, onDemandPerHour)
	return h, ok && h <= m.HoursIncluded
}

// PerUsedHour is the cost of a used hour, at most all included ones.
func (m MonthlyPackage) PerUsedHour(usedHours float64) (float64, bool) {
	return ratio(m.PerMonth, math.Min(usedHours, m.HoursIncluded))
}

// Blocks is capacity sold in whole prepaid blocks (AWS Capacity Blocks: 24 h
// steps, no change, no refund).
type Blocks struct {
	BlockHours float64 // above 0
	PerHour    float64
}

// Hours is what must be bought for the hours needed.
func (b Blocks) Hours(needHours float64) float64 {
	return math.Ceil(needHours/b.BlockHours-1e-9) * b.BlockHours
}

// Cost is what the blocks for the hours needed cost.
func (b Blocks) Cost(needHours float64) float64 { return b.Hours(needHours) * b.PerHour }

// BreakEvenHours is the need from which the blocks bought for needHours beat
// on-demand; false when even using them fully does not.
func (b Blocks) BreakEvenHours(needHours, onDemandPerHour float64) (float64, bool) {
	h, ok := ratio(b.Cost(needHours), onDemandPerHour)
	return h, ok && h <= b.Hours(needHours)
}

// Redo is spot work whose lost hours are done again on demand.
type Redo struct {
	WorkHours, LostHours float64
	Spot, OnDemand       float64 // cost of an hour
}

// Total is the cost of the finished work.
func (r Redo) Total() float64 { return r.WorkHours*r.Spot + r.LostHours*r.OnDemand }

// Saving is the share saved against all work on demand; may be negative.
func (r Redo) Saving() (float64, bool) {
	s, ok := ratio(r.Total(), r.WorkHours*r.OnDemand)
	return 1 - s, ok
}

// BreakEvenLostHours is how many hours may be lost before spot stops paying;
// negative when it never does.
func (r Redo) BreakEvenLostHours() (float64, bool) {
	return ratio(r.WorkHours*(r.OnDemand-r.Spot), r.OnDemand)
}

// UsefulShare is the share of all hours run that was useful.
func (r Redo) UsefulShare() (float64, bool) { return ratio(r.WorkHours, r.WorkHours+r.LostHours) }
