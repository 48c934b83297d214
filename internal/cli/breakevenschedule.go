package cli

import (
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

var scheduleAsks = []ask{
	{"shift", "shifted_share", partKind, "share of the work that waits for the window (default 100%)"},
	{"price-factor", "window_price_factor", shareKind, "price in the window as a share of the price at any time"},
	{"month", "per_month", amountKind, "what the work costs a month at any time"},
}

func (a *App) breakevenScheduleCommand() *cobra.Command {
	var series string
	var weekdays bool
	cmd := &cobra.Command{
		Use: "schedule", Short: "Whether running only at off-peak hours pays, and what evidence there is", Args: noArgs,
		Long: "Whether running only in a window of hours pays. There is no price evidence that GPU-hours are cheaper at night; what has been\n" +
			"measured is listed with its source. Give a price series of your own with --series: CSV with the columns time (RFC 3339) and price.",
		Example: "  gpucost breakeven schedule --window 2-8\n  gpucost breakeven schedule --window 22-6 --price-factor 70% --shift 50% --month 2000\n" +
			"  gpucost breakeven schedule --window 2-8 --series prices.csv",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.open(cmd, scheduleAsks, compareOptions{})
			if err != nil {
				return err
			}
			windows, err := parseWindows(s.text("window"), weekdays)
			if err != nil {
				return err
			}
			s.fill("shifted_share", 1, "share", "all")
			var points []buying.PricePoint
			if series != "" {
				if points, err = a.priceSeries(series); err != nil {
					return err
				}
			}
			answer, err := purchase.Schedule(s.in, windows, points, a.settings.is("explain"))
			if err != nil {
				return usagef("%v", err)
			}
			answer.Say("window", s.text("window"))
			return s.tell(answer)
		},
	}
	declare(cmd, scheduleAsks)
	cmd.Flags().String("window", "2-8", "hours of the day in UTC, such as 2-8 or 22-6; several after commas")
	cmd.Flags().BoolVar(&weekdays, "workdays", false, "Monday to Friday only")
	cmd.Flags().StringVar(&series, "series", "", "CSV of time and price")
	return cmd
}

func parseWindows(text string, workdays bool) (buying.Schedule, error) {
	days := buying.AllDays
	if workdays {
		days = buying.Workdays
	}
	var out buying.Schedule
	for part := range strings.SplitSeq(text, ",") {
		from, to, ok := strings.Cut(part, "-")
		a, ok1 := plainNumber(from)
		b, ok2 := plainNumber(to)
		if !ok || !ok1 || !ok2 {
			return nil, usagef("--window %q: want hours of the day, such as 2-8 or 22-6", text)
		}
		out = append(out, buying.Window{StartHour: a, EndHour: b, Days: days})
	}
	return out, nil
}

// priceSeries reads time,price rows in order of time; each price holds until the
// next row, the last as long as the one before.
func (a *App) priceSeries(name string) ([]buying.PricePoint, error) {
	b, err := a.read(name)
	if err != nil {
		return nil, err
	}
	csv, problems := catalog.ReadCSV(display(name), b, catalog.CSVOptions{Columns: []string{"time", "price"}})
	if problems.Err() != nil {
		return nil, problemFault(problems)
	}
	var out []buying.PricePoint
	var times []time.Time
	for i := range csv.Rows {
		row := &csv.Rows[i]
		at, err := time.Parse(time.RFC3339, row.Text("time"))
		price, ok := plainNumber(row.Text("price"))
		if err != nil || !ok || i > 0 && !at.After(times[i-1]) {
			return nil, usagef("%s: line %d: want a later time such as 2026-11-30T02:00:00Z and a price", name, row.Line)
		}
		at = at.UTC()
		times = append(times, at)
		hour := math.Mod(float64(at.Weekday()+6), 7)*24 + float64(at.Hour()) + float64(at.Minute())/60
		out = append(out, buying.PricePoint{HourOfWeek: hour, Price: price})
	}
	if len(out) < 2 {
		return nil, usagef("%s: want at least two rows", name)
	}
	for i := range out {
		out[i].Hours = times[min(i+1, len(times)-1)].Sub(times[min(i, len(times)-2)]).Hours()
	}
	return out, nil
}
