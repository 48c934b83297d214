package present

import "sync"

// textEN is the English text of every key; keys of both languages are the same.
var textEN = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// around every answer
		"warning":          "warning: %s",
		"columns_left_out": "Left out to fit %d columns: %s. Everything: -o wide.",
		"effects":          "10 %% more of an input changes it by: %s",
		"unknown":          "unknown",
		"inputs":           "Inputs",
		"notes":            "Notes",

		// quantities
		"n_d":     "%s d",
		"n_h":     "%s h",
		"n_min":   "%s min",
		"n_s":     "%s s",
		"n_days":  "%s days",
		"one_day": "1 day",

		// heads
		"provider":   "Provider",
		"gpu":        "GPU",
		"gpus":       "GPUs",
		"sold_as":    "Sold as",
		"per_gpu":    "Per GPU",
		"you_pay":    "You pay",
		"saving":     "Saving",
		"as_of":      "As of",
		"region":     "Region",
		"tier":       "Tier",
		"source":     "Source",
		"instance":   "Instance",
		"memory":     "Memory",
		"confidence": "Confidence",
		"where":      "Where",
		"bought":     "Bought",
		"hours":      "Hours",
		"a_run":      "A run",
		"a_month":    "A month",
		"name":       "Name",
		"value":      "Value",
		"origin":     "Origin",

		// ways of buying
		"on_demand":  "on demand",
		"spot":       "spot",
		"reserved":   "reserved",
		"serverless": "serverless",
		"token":      "per token",
		"owned":      "owned",
	}
})
