package parse

import (
	"strconv"
)

// idLength is how many characters of the fingerprint name a failure.
const idLength = 10

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
