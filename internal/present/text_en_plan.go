package present

import "sync"

// planEN holds the text of plan for a job that already runs.
var planEN = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"switch.left":    "%s of the work left",
		"switch.stay":    "Stay",
		"switch.move_to": "Move",
		"switch.this":    "the plan for the rest",
		"switch.old":     "price of %s, as planned: there is none of today",
		"switch.table":   "What the rest costs:",

		"switch.verdict.switch":         "Move to %s: saves %s, after %s for the move: %s; staying: %s.",
		"switch.verdict.switch_late":    "Move to %s: %s. Staying is done after %s, later than the deadline in %s.",
		"switch.verdict.stay":           "Stay on %s: %s.",
		"switch.verdict.stay_committed": "Stay on %s, paid for until the term ends; leaving saves nothing of it until then. From now on: %s.",
		"switch.verdict.stay_alone":     "Stay on %s: %s. Nobody else does the rest in time.",
		"switch.verdict.unknown":        "What staying at %s costs today is not known, so nothing says that moving pays.",
		"switch.verdict.nothing":        "Neither staying nor moving is done within %s.",
		"switch.instead":                "The cheapest move: %s: %s.",
		"switch.loses":                  "The cheapest move, to %s, loses %s.",
		"switch.too_little":             "The cheapest move, to %s, saves %s: no more than the %s that it must.",
		"switch.cannot":                 "By the estimate these machines cannot do the work.",
		"switch.no_price":               "There is no price for %s of today, and that of %s is no longer one.",

		"switch.other_maker": "its GPUs are of another maker, and the program must run there (name them with --gpu)",

		"switch.even":        "Moving pays with more than %s of work left here; %s are left. It must save %s.",
		"switch.never":       "However much is left, this move does not pay; %s of work are left here.",
		"switch.always":      "This move pays however little is left; %s of work are left here.",
		"switch.low":         "In the dear case the move loses %s.",
		"switch.flip":        "The answer turns when: %s.",
		"switch.flip.price":  "the price of %s changes by %s",
		"switch.flip.egress": "egress costs %s %s a GB",
		"switch.move":        "The move to %s, %s: %s. The work stands still for %s.",
		"switch.part":        "%s %s",

		"switch.comp.last_save":       "last save here",
		"switch.comp.startup":         "start there",
		"switch.comp.load_checkpoint": "reading the checkpoint there",
		"switch.comp.egress":          "egress",
		"switch.comp.minimum_rental":  "billed here and not used",
		"switch.comp.work_done_again": "work done again",

		"switch.col.option": "Way",
		"switch.col.cost":   "%s from now on",
		"switch.col.moving": "Of it the move",
		"switch.col.saves":  "Saves",

		"switch.warn.all_left":            "How much is done is not stated: all of the work is taken to be left (--done 40% or --remaining 30h).",
		"switch.warn.longer_than_planned": "%s are left of work that was estimated at %s in all: every way is taken to be as much longer.",
		"switch.warn.price_gone":          "%s has no price for these machines today: staying is at the price of the plan, of %s.",
		"switch.warn.offer_gone":          "%s does not list these machines today: staying is at the price of the plan, of %s.",
		"switch.warn.committed":           "The machines at %s are paid for until their term ends, whatever is done.",
		"switch.warn.other_scenario":      "The plan was made for scenario %s, the question is about %s.",
		"switch.warn.may_lose":            "In the dear case the move loses %s.",
		"switch.warn.between_regions":     "Traffic between regions of %s may cost: it is not counted.",
		"switch.warn.price_range":         "Less than %s is within the range of the prices and no saving.",
		"switch.warn.egress_unknown":      "What %s charges for egress is not known: 0 to 0.14 USD a GB are counted, 0.09 in the middle.",

		"switch.note.stays": "no task: %s",

		"switch.explain.saving":   "Saving of the cheapest move",
		"switch.explain.saving_f": "what the rest costs here, less what it costs there with the move",
		"switch.explain.total":    "Moving, from now on",
		"switch.explain.need":     "It must save",
		"switch.explain.even":     "Work left from which moving pays",
		"switch.explain.even_f":   "what moves once, over what an hour of work here saves",
		"switch.explain.hours":    "Work left here",
		"switch.explain.assumed":  "What the move rests on",
	}
})
