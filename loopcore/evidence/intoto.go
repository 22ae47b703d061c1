package evidence

import (
	"crypto/sha256"
	"encoding/hex"

	"fixloop/loopcore"
)

type statement struct {
	Type          string       `json:"_type"`
	Subject       []descriptor `json:"subject"`
	PredicateType string       `json:"predicateType"`
	Predicate     testResult   `json:"predicate"`
}

type descriptor struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

type testResult struct {
	Result        string       `json:"result"` // PASSED | WARNED | FAILED
	Configuration []descriptor `json:"configuration"`
	PassedTests   []string     `json:"passedTests"`
	WarnedTests   []string     `json:"warnedTests"`
	FailedTests   []string     `json:"failedTests"`
}

// InToto renders the last run as an in-toto statement with the predicate
// test-result v0.1. The subject is the tested tree, by its git tree hash; the
// configuration is the gate and the evidence chain, by digest. It is not
// signed: sign it where the key is.
func InToto(d Dossier) ([]byte, error) {
	r := d.Last()
	if r.Tree == "" {
		return nil, loopcore.Refuse(loopcore.CodeNoRun, "call run_gate first", "session %s has no run that ended, so there is nothing to attest", d.Session.ID)
	}
	raw, err := Canonical(d.Session.Gate)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	p := testResult{Result: "FAILED", PassedTests: []string{}, WarnedTests: []string{}, FailedTests: []string{},
		Configuration: []descriptor{{Name: "gate", Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])}}}}
	if n := len(d.Chain); n > 0 {
		p.Configuration = append(p.Configuration, descriptor{Name: "evidence-chain", Digest: map[string]string{"sha256": d.Chain[n-1].Hash}})
	}
	if overall(r) == "pass" {
		p.Result = "PASSED"
		if len(r.Findings) > 0 || len(r.Flaky) > 0 {
			p.Result = "WARNED"
		}
	}
	flaky := map[string]bool{}
	for _, f := range r.Flaky {
		flaky[loopcore.CleanLine(f.Name, 0)] = true
	}
	for _, t := range ExportOf(d).results() {
		name := t.name
		if t.suite != "" && t.suite != t.name {
			name = t.suite + " > " + name
		}
		switch {
		case t.status == resultPassed && flaky[t.name]:
			p.WarnedTests = append(p.WarnedTests, name)
		case t.status == resultPassed:
			p.PassedTests = append(p.PassedTests, name)
		case t.status != resultSkipped:
			p.FailedTests = append(p.FailedTests, name)
		}
	}
	return indented(statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://in-toto.io/attestation/test-result/v0.1",
		Subject: []descriptor{{Name: ExportOf(d).Name, Digest: map[string]string{"gitTree": r.Tree}}}, Predicate: p})
}
