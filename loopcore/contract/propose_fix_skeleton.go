package contract

// ProposeIn are the arguments of propose_fix_skeleton.
type ProposeIn struct {
	Repo                   string   `json:"repo,omitempty"`
	Session                string   `json:"session,omitempty"`
	Run                    string   `json:"run,omitempty"`
	EvidencePath           string   `json:"evidence_path,omitempty"`
	AcceptanceCriteriaPath string   `json:"acceptance_criteria_path,omitempty"`
	ChangedFiles           []string `json:"changed_files,omitempty"`
	Filled                 string   `json:"filled,omitempty"` // Markdown to check
	Cursor                 string   `json:"cursor,omitempty"` // the tools page the document; the engine gives all of it
}

// ProposeOut is the skeleton to fill in, or the problems of a filled one.
type ProposeOut struct {
	Markdown   string          `json:"markdown"`
	Proposals  []Proposal      `json:"proposals"`
	Summary    ProposalSummary `json:"summary"`
	Problems   []string        `json:"problems"` // for filled: empty means it holds
	Warnings   []string        `json:"warnings"`
	NextCursor string          `json:"next_cursor"` // set by the tools
}

// Proposal is one failure or combined group to propose a fix for.
type Proposal struct {
	N          int      `json:"n"`
	Title      string   `json:"title"`
	Failures   []int    `json:"failures"` // row numbers
	ACID       string   `json:"ac_id"`
	Category   string   `json:"category"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Candidates []string `json:"candidates"` // file:line of likely root causes
	Confidence string   `json:"confidence"`
}

// ProposalSummary is the last line of the document as numbers.
type ProposalSummary struct {
	Total     int `json:"total"`
	Proposals int `json:"proposals"`
	High      int `json:"high"`
	Defer     int `json:"defer"`
}
