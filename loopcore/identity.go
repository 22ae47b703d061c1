package loopcore

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Fingerprint is the identity of a failure: a hash of step, suite, name and
// the folded message; for a diagnostic (no name) of its file and rule as well.
func Fingerprint(f Failure) string {
	var room [512]byte
	b := append(room[:0], f.Step...)
	b = append(append(b, 0), f.Suite...)
	b = append(append(b, 0), f.Name...)
	b = append(append(b, 0), Fold(f.Message)...)
	if f.Name == "" {
		b = append(append(b, 0), f.File...)
		b = append(append(b, 0), f.Rule...)
	}
	sum := sha256.Sum256(b)
	var text [32]byte
	hex.Encode(text[:], sum[:16])
	return string(text[:])
}

// key is the failure's identity in a set.
func key(f Failure, id Identity) string {
	if id == ByName && f.Name != "" {
		return f.Step + "\x00" + f.Suite + "\x00" + f.Name
	}
	if f.Fingerprint != "" {
		return f.Fingerprint
	}
	return Fingerprint(f)
}

// set is the sorted identities of a run's failures, flaky ones left out. A run
// that executed no test has one element, so that it equals itself.
func (r RunFacts) set(id Identity) []string {
	var keys []string
	for _, f := range r.Failures {
		if !r.flaky(f) {
			keys = append(keys, key(f, id))
		}
	}
	if len(keys) == 0 && r.Verdict == VerdictNoTests {
		keys = []string{"no tests"}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// ErrorHash is one hash over everything that failed in the run, "" for none.
func (r RunFacts) ErrorHash() string {
	keys := r.set(ByNameAndMessage)
	if len(keys) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(keys, "\n")))
	return hex.EncodeToString(sum[:16])
}

func (r RunFacts) flaky(f Failure) bool { return slices.Contains(r.Flaky, f.Fingerprint) }
