package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"

	"fixloop/loopcore"
)

// Verified is what an evidence file says of itself.
type Verified struct {
	Session  string
	Head     string   // hash of the last record: compare it with the store's
	Records  int      // in the chain
	Tree     string   // that the last run tested
	Overall  string   // pass | fail | error
	Problems []string // empty when the file holds together
}

// VerifyFile checks an evidence file without trusting anything outside it: the
// chain's links, that every run, decision, checkpoint and waiver shown is the
// one in the chain, that none is left out, and that the gates follow from the
// last run. It refuses with CodeBadEvidence what is no evidence of ours.
func VerifyFile(data []byte) (Verified, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return Verified{}, loopcore.Refuse(loopcore.CodeBadEvidence, "write it again with `fixloop report --format evidence`", "the evidence is not valid JSON: %v", err)
	}
	if f.Fixloop == nil {
		return Verified{}, loopcore.Refuse(loopcore.CodeBadEvidence, "give the evidence.json of a session", "the evidence was not written by fixloop: it has no chain")
	}
	o := f.Fixloop
	v := Verified{Session: o.Session.ID, Records: len(o.Chain), Tree: o.Tree, Overall: f.OverallStatus}
	if len(o.Chain) == 0 {
		v.Problems = append(v.Problems, "the chain is empty")
		return v, nil
	}
	v.Head = o.Chain[len(o.Chain)-1].Hash
	if i, why := Verify(o.Chain); i >= 0 {
		v.Problems = append(v.Problems, why)
	}
	c := newChained(o.Chain)
	c.session(o.Session)
	c.runs(*o)
	for _, d := range o.Decisions {
		c.decision(d)
	}
	for _, p := range o.Checkpoints {
		c.same(RecordCheckpoint, p.Kind+" "+p.ID, p)
	}
	for _, w := range o.Waivers {
		c.same(RecordWaiver, w.Finding, w)
	}
	c.leftOut()
	c.top(f)
	v.Problems = append(v.Problems, c.problems...)
	return v, nil
}

// chained is a chain by what its records are about; the last record of a
// thing counts.
type chained struct {
	body     map[string]json.RawMessage
	order    []string
	shown    map[string]bool
	problems []string
}

func newChained(records []Record) *chained {
	c := &chained{body: map[string]json.RawMessage{}, shown: map[string]bool{}}
	for _, r := range records {
		ref := r.Ref
		if r.Kind == RecordCheckpoint { // one snapshot can be kept as several kinds
			var p Checkpoint
			if json.Unmarshal(r.Body, &p) == nil {
				ref = p.Kind + " " + r.Ref
			}
		}
		key := r.Kind + " " + ref
		if _, known := c.body[key]; !known {
			c.order = append(c.order, key)
		}
		c.body[key] = r.Body
	}
	return c
}

func (c *chained) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// same notes a problem unless the chain's record about ref is v.
func (c *chained) same(kind, ref string, v any) {
	key := kind + " " + ref
	c.shown[key] = true
	want, known := c.body[key]
	if !known {
		c.problem("%s is not in the chain", key)
		return
	}
	got, err := Canonical(v)
	if err == nil && !equalJSON(got, want) {
		c.problem("%s is not what the chain recorded", key)
	}
}

// equalJSON compares with any formatting; got is canonical already.
func equalJSON(got, raw []byte) bool {
	want, err := Canonical(json.RawMessage(raw))
	return err == nil && bytes.Equal(got, want)
}

func (c *chained) session(s Session) {
	if _, again := c.body[RecordReopen+" "+s.ID]; again {
		c.shown[RecordReopen+" "+s.ID] = true
		c.shown[RecordEnd+" "+s.ID] = true // the end before it; a later one is compared below
	}
	if !s.Open() {
		c.same(RecordEnd, s.ID, map[string]any{"outcome": s.Outcome, "status_line": s.StatusLine})
	}
	opened := s
	opened.Ended, opened.Outcome, opened.StatusLine = Session{}.Ended, "", ""
	c.same(RecordSession, s.ID, opened)
}

func (c *chained) runs(o ours) {
	last := Dossier{Runs: o.Runs}.Last().ID
	for _, r := range o.Runs {
		key := RecordRun + " " + r.ID
		c.shown[key] = true
		if r.Status == RunRunning {
			continue // recorded when it ends
		}
		var want struct {
			Run      json.RawMessage `json:"run"`
			Failures string          `json:"failures_sha256"`
			Tests    string          `json:"tests_sha256"`
		}
		raw, known := c.body[key]
		if !known || json.Unmarshal(raw, &want) != nil {
			c.problem("%s is not in the chain", key)
			continue
		}
		if got, err := Canonical(r.Filled()); err == nil && !equalJSON(got, want.Run) {
			c.problem("%s is not what the chain recorded", key)
		}
		if r.ID != last {
			continue
		}
		if got, err := Digest(o.Failures); err == nil && got != want.Failures {
			c.problem("the failures of run %s are not those of the chain", r.ID)
		}
		if got, err := Digest(o.Tests); err == nil && got != want.Tests {
			c.problem("the inventory of run %s is not that of the chain", r.ID)
		}
	}
}

// decision compares with the record made before the action, and the one made
// after it.
func (c *chained) decision(d Decision) {
	ref := fmt.Sprint(d.N)
	if _, acted := c.body[RecordAction+" "+ref]; acted {
		c.same(RecordAction, ref, d.Action)
		var before Decision
		if json.Unmarshal(c.body[RecordDecision+" "+ref], &before) == nil {
			d.Action = before.Action
		}
	}
	c.same(RecordDecision, ref, d)
}

func (c *chained) leftOut() {
	for _, key := range c.order {
		if !c.shown[key] {
			c.problem("%s is in the chain but not shown", key)
		}
	}
}

// top compares what readers of the plain format see with the last run.
func (c *chained) top(f file) {
	o := f.Fixloop
	last := Dossier{Runs: o.Runs}.Last()
	last.Failures, last.Tests = unshow(o.Failures), o.Tests
	if f.OverallStatus != overall(last) {
		c.problem("overall_status is %q, the last run says %q", f.OverallStatus, overall(last))
	}
	got, errGot := Canonical(withoutExcerpts(f.Gates))
	want, errWant := Canonical(withoutExcerpts(gates(last)))
	if errGot == nil && errWant == nil && !bytes.Equal(got, want) {
		c.problem("the gates are not those of the last run")
	}
}

// withoutExcerpts drops the excerpts: their source is not part of the file.
func withoutExcerpts(gates []gate) []gate {
	out := make([]gate, len(gates))
	for i, g := range gates {
		g.Failures = append([]failure{}, g.Failures...)
		for j := range g.Failures {
			g.Failures[j].StderrExcerpt = nil
		}
		out[i] = g
	}
	return out
}
