package parse_test

import (
	"slices"
	"strings"
	"testing"

	"fixloop/loopcore"
	"fixloop/loopcore/parse"
)

// formats are the readers that know a format and no runner: they stay when a
// runner is taken for unknown, since the next one will print them too.
var formats = []string{
	"junit-xml", "test-json", "sarif", "lint-json", "checkstyle", "lint-csv", "format-diff", "github-annotations", "file-list", "tap", "teamcity", "make",
}

// neverSeen reads each runner's cases as if none of the readers had been
// written that read something of them.
func neverSeen(t testing.TB) map[string]tally {
	out := map[string]tally{}
	for _, a := range corpusArchives(t) {
		cases := loadCorpus(t, a)
		vs := unseen(t, cases, ownReaders(t, cases))
		out[cases[0].Runner] = sumOf(byRunner(vs))
	}
	return out
}

// ownReaders are the readers of a runner's cases that are not for a format.
func ownReaders(t testing.TB, cases []corpusCase) []string {
	var own []string
	for _, c := range cases {
		r := reading(t, c.text, parse.Input{Exit: c.Exit, HasExit: true})
		for _, name := range strings.Split(r.Runner, ",") {
			if !slices.Contains(own, name) && !slices.Contains(formats, name) {
				own = append(own, name)
			}
		}
	}
	return own
}

// unseen scores cases without the named readers.
func unseen(t testing.TB, cases []corpusCase, without []string) []verdict {
	vs := make([]verdict, len(cases))
	inParallel(len(cases), func(i int) {
		c := cases[i]
		in := parse.Input{Text: c.text, Exit: c.Exit, HasExit: true}
		if parse.IsReport(c.text[:min(len(c.text), 64<<10)]) {
			in.Files, in.Text = []parse.File{{Name: "stdin", Data: c.text}}, nil
		}
		r := parse.ParseWithout(in, without...)
		r.Failures = slices.DeleteFunc(r.Failures, func(f loopcore.Failure) bool { return f.Optional })
		vs[i] = score(c, r)
	})
	return vs
}

// lower tells which figures of all runners together are below the recorded
// ones. A single runner's may fall where the general reader learns another's.
func lower(was, now map[string]tally) []string {
	var out []string
	old, got := sumOf(was).shares(), sumOf(now).shares()
	for k := range old {
		if got[k].of*old[k].to < old[k].of*got[k].to {
			out = append(out, old[k].name+" is "+got[k].String()+" %, it was "+old[k].String()+" %")
		}
	}
	return out
}
