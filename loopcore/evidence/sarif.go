package evidence

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"fixloop/loopcore"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations,omitempty"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool   `json:"executionSuccessful"`
	StartTimeUTC        string `json:"startTimeUtc,omitempty"`
	EndTimeUTC          string `json:"endTimeUtc,omitempty"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"` // error | warning | note
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

// sarif writes SARIF 2.1.0: failures and findings as results, optional ones as
// warnings, killed suites as errors of the tool's run.
func sarif(x Export) ([]byte, error) {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "fixloop", Version: x.Version, Rules: []sarifRule{}}}, ColumnKind: "unicodeCodePoints",
		Results: []sarifResult{},
		Invocations: []sarifInvocation{{ExecutionSuccessful: x.Report.Status != loopcore.StatusCrash && x.Report.Status != loopcore.StatusKilled,
			StartTimeUTC: timestamp(x.Started), EndTimeUTC: timestamp(x.Finished)}}}
	add := func(rule, level, message string, at []sarifLocation, fingerprint string) {
		i := slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == rule })
		if i < 0 {
			i = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: rule})
		}
		r := sarifResult{RuleID: rule, RuleIndex: i, Level: level, Message: sarifMessage{loopcore.Clean(message)}, Locations: at}
		if fingerprint != "" {
			r.Fingerprints = map[string]string{"fixloop/v1": fingerprint}
		}
		run.Results = append(run.Results, r)
	}
	for _, f := range x.Report.Failures {
		rule, level, message := f.Rule, "error", f.Message
		if rule == "" {
			rule = string(f.Kind)
		}
		if f.Optional {
			level = "warning"
		}
		if f.Name != "" {
			message = f.Name + ": " + message
		}
		add(rule, level, message, sarifAt(f.File, f.Line, f.Column, f.Suite, f.Name), f.Fingerprint)
	}
	for _, k := range x.Report.Killed {
		add("killed", "error", k.Suite+" was ended from outside ("+strings.TrimSpace(k.Reason+" "+k.Signal)+"): its result is not known", nil, "")
	}
	levels := map[loopcore.Severity]string{loopcore.SevBlock: "error", loopcore.SevHuman: "warning", loopcore.SevWarn: "note"}
	for _, f := range x.Findings {
		add(f.Rule, levels[f.Severity], sentences(f.Change, f.Why, f.Honest), sarifAt(f.File, f.Line, 0, "", ""), f.ID)
	}
	return indented(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifAt(file string, line, column int, suite, name string) []sarifLocation {
	if file == "" {
		return nil
	}
	l := sarifLocation{Physical: sarifPhysical{Artifact: sarifURI(file)}}
	if line > 0 {
		l.Physical.Region = &sarifRegion{StartLine: line, StartColumn: max(0, column)}
	}
	if name != "" {
		l.Logical = []sarifLogical{{FullyQualifiedName: loopcore.CleanLine(strings.TrimPrefix(suite+"."+name, "."), 0), Kind: "function"}}
	}
	return []sarifLocation{l}
}

// sarifURI is a path as a URI reference: relative ones under the root of the
// sources, absolute ones as file URIs.
func sarifURI(file string) sarifArtifact {
	slashed := strings.ReplaceAll(file, `\`, "/")
	drive := len(slashed) > 2 && slashed[1] == ':' && slashed[2] == '/'
	switch {
	case drive:
		return sarifArtifact{URI: "file:///" + slashed[:2] + escapePath(slashed[2:])}
	case path.IsAbs(slashed):
		return sarifArtifact{URI: "file://" + escapePath(slashed)}
	}
	return sarifArtifact{URI: escapePath(slashed), URIBaseID: "%SRCROOT%"}
}

// escapePath escapes what may not stand in the path of a URI reference; a
// colon could be taken for the end of a scheme.
func escapePath(p string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,;=@"
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if strings.IndexByte(safe, p[i]) >= 0 {
			b.WriteByte(p[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", p[i])
		}
	}
	return b.String()
}
