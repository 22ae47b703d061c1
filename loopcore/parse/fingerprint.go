package parse

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
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

// folds are what differs between two runs of the same failure, in this order.
var folds = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`), "<time>"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`), "<time>"},
	{regexp.MustCompile(`(?:[A-Za-z]:)?[\\/](?:tmp|var[\\/]folders|private[\\/]tmp|private[\\/]var|Temp|dev[\\/]shm)[\\/][^\s"'()\[\]{}:;,]+`), "<temp>"},
	{regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\b`), "<addr>"},
	{regexp.MustCompile(`\b(?:[0-9a-f]{7,}[0-9][0-9a-f]*|[0-9][0-9a-f]{7,})\b`), "<id>"},
	{regexp.MustCompile(`\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|minutes?)\b`), "<took>"},
	{regexp.MustCompile(`\d+(?:[.,]\d+)*`), "<n>"},
	{regexp.MustCompile(`\s+`), " "},
}

// Normalise folds what changes from run to run out of a message: numbers,
// addresses, durations, dates, temporary paths and ids.
func Normalise(message string) string {
	for _, f := range folds {
		message = f.pattern.ReplaceAllString(message, f.with)
	}
	return strings.TrimSpace(message)
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
