package tools

import "strings"

// waits are the seconds that a client lets one call take, with room to spare:
// several stop at their own time-out without telling the server, and the model
// then repeats a call that is still under way.
var waits = []struct {
	client  string // part of the name that the client gives itself, lower case
	seconds int
}{
	{"claude-code", 110}, // moves a call of 120 s to the background
	{"claude code", 110},
	{"codex", 240},  // 300 s
	{"gemini", 500}, // 600 s
}

// DefaultWait is how long a run_gate call of that client waits, in seconds,
// when it does not say: below the client's own time-out, 45 for an unknown one
// since the usual time-out is 60.
func DefaultWait(client string) int {
	client = strings.ToLower(client)
	for _, w := range waits {
		if strings.Contains(client, w.client) {
			return w.seconds
		}
	}
	return 45
}
