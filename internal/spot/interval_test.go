package spot

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		name                string
		c, rate             float64
		young, daly, exact  float64
		neverYoung, noSaves bool
	}{
		{"Young 32 % too long at C = 0.3 M", 0.3, 1, 0.7745966692414834, 0.5875066137288414, 0.5888868861354236, false, false},
		{"Daly takes M from C = 2 M on", 2.5, 1, 2.23606797749979, 1, 0.9688470729846917, false, false},
		{"a minute's save, one interruption a day", 1.0 / 60, 1.0 / 24, 0.8944271909999159, 0.8833505871106798, 0.8833507589740552, false, false},
		{"free saves", 0, 0.2, 0, 0, 0, false, true},
		{"never interrupted", 0.05, 0, 0, 0, 0, true, false},
		{"nothing at all", 0, 0, 0, 0, 0, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range []struct {
				name string
				f    func(float64, Rate) (float64, bool)
				want float64
			}{{"young", Young, c.young}, {"daly", Daly, c.daly}, {"exact", Exact, c.exact}} {
				got, ok := f.f(c.c, Rate{c.rate})
				if ok == c.neverYoung {
					t.Errorf("%s: ok = %v", f.name, ok)
				}
				near(t, f.name, got, f.want, 1e-12)
			}
		})
	}
}

// The exact interval solves its own equation: with x = lambda tau,
// (x - 1) exp(x - 1) = -exp(-lambda C - 1).
func TestExactSolvesLambert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := math.Pow(10, rapid.Float64Range(-12, 2).Draw(t, "log10 lambda C"))
		x := lambertInterval(c)
		if !(x > 0 && x <= 1) {
			t.Fatalf("x = %g", x)
		}
		if got := excess(x); c < 12 && math.Abs(got-c) > 1e-9*c {
			t.Fatalf("c = %g: -log(1-x)-x = %g", c, got)
		}
	})
}

func TestBestPieces(t *testing.T) {
	for _, c := range []struct {
		job  Job
		want int
	}{
		{Job{WorkHours: 24, CheckpointHours: 0.05, RestartHours: 0.1, WaitHours: 0.5, Rate: Rate{0.2}}, 36},
		{Job{WorkHours: 2, CheckpointHours: 0.2, RestartHours: 0.1, Rate: Rate{0.05}}, 1},
		{Job{WorkHours: 100, CheckpointHours: 0.2}, 1},
	} {
		if got, ok := BestPieces(c.job); !ok || got != c.want {
			t.Errorf("got %d %v, want %d", got, ok, c.want)
		}
	}
	if _, ok := BestPieces(Job{WorkHours: 10, Rate: Rate{1}}); ok {
		t.Error("free checkpoints have no best number of pieces")
	}
}

// No other whole number of pieces is faster than the best.
func TestBestPiecesIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := Job{
			WorkHours:       rapid.Float64Range(0.5, 200).Draw(t, "W"),
			CheckpointHours: rapid.Float64Range(0.005, 1).Draw(t, "C"),
			RestartHours:    rapid.Float64Range(0, 1).Draw(t, "R"),
			Rate:            Rate{rapid.Float64Range(0.001, 1).Draw(t, "lambda")},
		}
		n, ok := BestPieces(j)
		if !ok {
			t.Fatal("no best")
		}
		wall := func(n int) float64 {
			j.IntervalHours = j.WorkHours / float64(n)
			o, err := Expected(j)
			if err != nil || o.Overflows {
				return math.Inf(1)
			}
			return o.WallHours
		}
		best := wall(n)
		for k := max(1, n-5); k <= n+5; k++ {
			if wall(k) < best*(1-1e-12) {
				t.Fatalf("%d pieces: %g h, %d pieces: %g h", n, best, k, wall(k))
			}
		}
	})
}

func TestCheckpoint(t *testing.T) {
	c := Checkpoint{SizeGB: CheckpointGB(70, BytesBF16MasterAdam), WriteGBPerSecond: 1}
	near(t, "size", c.SizeGB, 980, 1e-9)
	s, _ := c.WriteSeconds()
	near(t, "write", s, 980, 1e-9)
	if c.FitsNotice(120) {
		t.Error("980 GB at 1 GB/s fits two minutes")
	}
	for notice, want := range map[float64]float64{120: 8.166666666666666, 30: 32.666666666666664, 5: 196} {
		got, _ := c.NeededGBPerSecond(notice)
		near(t, "needed", got, want, 1e-9)
	}
	if _, ok := (Checkpoint{SizeGB: 1}).WriteSeconds(); ok {
		t.Error("writing at 0 GB/s ends")
	}
	if _, ok := c.NeededGBPerSecond(0); ok {
		t.Error("a save without notice has a bandwidth")
	}
	h, _ := StartUp{BootSeconds: 60, ImageGB: 20, PullGBPerSecond: 0.5, StateGB: 980, LoadGBPerSecond: 2}.Hours()
	near(t, "start-up", h, (60+40+490)/3600.0, 1e-12)
	if _, ok := (StartUp{ImageGB: 1}).Hours(); ok {
		t.Error("pulling at 0 GB/s ends")
	}
	near(t, "100 steps of 20 s", StepsHours(100, 20), 2000.0/3600, 1e-12)
}
