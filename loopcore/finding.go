package loopcore

// Severity is what a finding does to the run.
type Severity string

// The severities of a finding.
const (
	SevBlock Severity = "block" // a cheat: the run can not count
	SevHuman Severity = "human" // only a person may accept it
	SevWarn  Severity = "warn"  // noted
	SevOff   Severity = "off"   // in settings only: such findings are left out
)

// Override gives rules another severity in some files, as linters' overrides
// do. Where several name a file, the last one that names the rule counts.
type Override struct {
	Files []string            `json:"files"` // globs relative to the top, ** for any folders
	Rules map[string]Severity `json:"rules"` // by rule id
}

// Finding is something the guard saw.
type Finding struct {
	ID       string   `json:"id"`   // stable for the same change: what a waiver names
	Rule     string   `json:"rule"` // id in the taxonomy: T03, A01 …
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"` // in the work tree; 0 where the file or line is gone
	Change   string   `json:"change"`
	Why      string   `json:"why"`
	Honest   string   `json:"honest"` // what would clear it
	Digest   string   `json:"digest"` // of the exact change; a waiver is void when it differs
}

// Waiver is a person's acceptance of one finding.
type Waiver struct {
	Finding string `json:"finding"`
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Digest  string `json:"digest"`
	Who     string `json:"who"`
	When    string `json:"when"` // RFC 3339
	Why     string `json:"why"`
}
