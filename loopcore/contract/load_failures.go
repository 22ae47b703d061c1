package contract

// LoadFailuresIn are the arguments of load_failures.
type LoadFailuresIn struct {
	Repo                   string   `json:"repo,omitempty"`
	Session                string   `json:"session,omitempty"`
	EvidencePath           string   `json:"evidence_path,omitempty"`
	AcceptanceCriteriaPath string   `json:"acceptance_criteria_path,omitempty"`
	ChangedFiles           []string `json:"changed_files,omitempty"`
	Cursor                 string   `json:"cursor,omitempty"`
}

// LoadFailuresOut are the failures that an evidence file lists.
type LoadFailuresOut struct {
	SchemaVersion string   `json:"schema_version"`
	OverallStatus string   `json:"overall_status"`
	EvidencePath  string   `json:"evidence_path"`
	Rows          []Row    `json:"rows"`
	RowsTotal     int      `json:"rows_total"`
	NextCursor    string   `json:"next_cursor"`
	Warnings      []string `json:"warnings"`
}

// Row is one failure of an evidence file, checked against the repository.
type Row struct {
	N           int    `json:"n"` // from 1
	Gate        string `json:"gate"`
	Category    string `json:"category"`
	Name        string `json:"name"`
	Suite       string `json:"suite"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Message     string `json:"message"` // one line, at most 240 characters
	ACID        string `json:"ac_id"`
	ACStatus    string `json:"ac_status"` // traced | untraced | unchecked
	FileExists  bool   `json:"file_exists"`
	LineExists  bool   `json:"line_exists"`
	InChangeSet bool   `json:"in_change_set"`
	Confidence  string `json:"confidence"` // high | medium | low
	Recommend   string `json:"recommend"`  // "defer to human" or ""
	Excerpt     string `json:"excerpt"`
}
