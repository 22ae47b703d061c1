package contract

import (
	"context"
	"fmt"
	"strings"
)

// Caller is who calls a tool, as far as the protocol tells. It is the one
// value of this package that carries functions: what they ask for lives on the
// other side of the wire.
type Caller struct {
	Client        string                         // the client's name as it gives it, "" for the command line
	ClientVersion string                         // its version, "" if unknown
	Roots         func(context.Context) []string // folders the client works in, absolute, most important first; nil if it has none to give
	ProjectDir    string                         // CLAUDE_PROJECT_DIR, "" if unset
	Cwd           string                         // the server's working directory
	CanAsk        bool                           // the client can put a question to a person: return an *Ask
	Answer        *Answer                        // the person's answer to an Ask of the same call, nil before it was asked
}

// Folders are the places to look for the work tree when no repo is given, in
// this order: the client's roots, CLAUDE_PROJECT_DIR, the
// working directory. Empty ones are left out.
func (c Caller) Folders(ctx context.Context) []string {
	var dirs []string
	if c.Roots != nil {
		dirs = c.Roots(ctx)
	}
	var out []string
	for _, d := range append(dirs[:len(dirs):len(dirs)], c.ProjectDir, c.Cwd) {
		if d != "" {
			out = append(out, d)
		}
	}
	return out
}

// Ask is returned by the engine, as an error, for what only a person may
// decide. The tool puts Question to the person and calls the engine again with
// the answer in Caller.Answer; an agent has no way to fill it. Where the
// client can not ask, the call is refused with Code, Without and Hint.
type Ask struct {
	Kind     AskKind
	Question string // what the person reads: complete, no markup
	Token    string // binds what is accepted; comes back in Answer.Token
	Code     string // the refusal's code when nobody can be asked, or the person says no
	Without  string // what is wrong when nobody can be asked, no final stop
	Hint     string // what to do then
}

// AskKind is what a person is asked for.
type AskKind string

// The kinds of question.
const (
	AskGate   AskKind = "gate"   // are these the commands that decide what green is?
	AskWaiver AskKind = "waiver" // is this finding of the guard acceptable?
)

// Error implements error.
func (a *Ask) Error() string { return fmt.Sprintf("%s: %s. %s", a.Code, a.Without, a.Hint) }

// Answer is what the person said.
type Answer struct {
	Kind     AskKind
	Token    string // of the Ask
	Accepted bool
	Silent   bool // neither yes nor no: dismissed, no answer in time, or a client that could not ask after all
}

// Accepts reports whether the person accepted the question of that token.
func (a *Answer) Accepts(kind AskKind, token string) bool {
	return a != nil && a.Accepted && a.Kind == kind && a.Token == token
}

// Progress tells the client how far a call is: done of total (0 = unknown)
// with a short message. It never blocks and may be nil; see Report.
type Progress func(done, total float64, message string)

// Report calls p if the client asked for progress.
func (p Progress) Report(done, total float64, message string) {
	if p != nil {
		p(done, total, message)
	}
}

// LogPart is a piece of a step's log: the bytes from From on.
type LogPart struct {
	Data []byte
	From int64 // offset of Data in the log
	Size int64 // of the whole log
}

// The addresses of the resources. Names are escaped down to letters, digits
// and "-._~", which is what a URI template's plain variable may hold.

// LogURI is the resource of one step's log.
func LogURI(run, step string) string {
	return "fixloop://runs/" + escape(run) + "/" + escape(step) + ".log"
}

// ReportURI is the resource of a session's report.
func ReportURI(session string) string { return "fixloop://sessions/" + escape(session) + "/report" }

// EvidenceURI is the resource of a session's evidence.
func EvidenceURI(session string) string {
	return "fixloop://sessions/" + escape(session) + "/evidence"
}

func escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
