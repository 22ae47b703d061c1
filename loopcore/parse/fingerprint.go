package parse

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"fixloop/loopcore"
)

// idLength is how many characters of the fingerprint name a failure.
const idLength = 10

// Fingerprint is the hash of step, suite, name and normalised message (for a
// diagnostic also its file and rule): the same failure in another run, another
// folder, at another line or speed has the same one.
func Fingerprint(f loopcore.Failure) string {
	parts := []string{f.Step, f.Suite, f.Name, Normalise(f.Message)}
	if f.Name == "" {
		parts = append(parts, f.File, f.Rule)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// uniqueID shortens a fingerprint to an id; a second failure with the same
// fingerprint in one report gets a counter.
func uniqueID(fingerprint string, taken map[string]int) string {
	id := fingerprint[:idLength]
	taken[id]++
	if n := taken[id]; n > 1 {
		return id + "-" + strconv.Itoa(n)
	}
	return id
}
