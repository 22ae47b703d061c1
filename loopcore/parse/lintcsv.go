package parse

import (
	"encoding/csv"
	"strings"

	"fixloop/loopcore"
)

// lintCSV reads diagnostics printed as CSV under a heading that names file,
// line and text.
var lintCSV = Reader{
	Name: "lint-csv",
	Kind: loopcore.KindLint,
	Spot: func(l *Log) bool { return l.HasAny(",Line,", ",line,", ",line_number,", ",\"Line\",") },
	Read: readLintCSV,
}

func readLintCSV(l *Log, c *Claims) loopcore.Report {
	const me = "lint-csv"
	var r loopcore.Report
	var cols csvColumns
	for i, line := range l.Lines {
		if !c.Free(me, i) || !strings.Contains(line, ",") {
			continue
		}
		fields := csvFields(line)
		if !cols.known() {
			cols = csvHeading(fields)
			if cols.known() {
				c.Take(me, i, i+1)
			}
			continue
		}
		f := loopcore.Failure{Kind: loopcore.FailLint, At: l.Number(i)}
		f.File, f.Line, f.Column = l.Path(cols.get(fields, cols.file)), atoi(cols.get(fields, cols.line)), atoi(cols.get(fields, cols.column))
		f.Message, f.Rule = cols.get(fields, cols.text), cols.get(fields, cols.rule)
		f.Optional = cols.get(fields, cols.severity) == "warning"
		if f.Message == "" || f.Line == 0 {
			continue
		}
		r.Failures = append(r.Failures, f)
		c.Take(me, i, i+1)
	}
	return diagnosticReport(r, 0, false)
}

// csvColumns is where the heading puts what a diagnostic needs; -1 = nowhere.
type csvColumns struct {
	set                                      bool
	file, line, column, text, rule, severity int
}

func (c csvColumns) known() bool { return c.set && c.file >= 0 && c.line >= 0 && c.text >= 0 }

func (c csvColumns) get(fields []string, at int) string {
	if at < 0 || at >= len(fields) {
		return ""
	}
	return fields[at]
}

func csvHeading(fields []string) csvColumns {
	find := func(names ...string) int {
		for k, f := range fields {
			for _, n := range names {
				if strings.EqualFold(f, n) {
					return k
				}
			}
		}
		return -1
	}
	return csvColumns{
		set: true, file: find("file", "filename", "path"), line: find("line", "line_number", "startline"), column: find("column", "col", "col_offset"),
		text: find("message", "issue_text", "description", "text"), rule: find("source", "test_id", "rule", "code", "check"),
		severity: find("type", "severity", "level"),
	}
}

func csvFields(line string) []string {
	rd := csv.NewReader(strings.NewReader(line))
	rd.LazyQuotes, rd.FieldsPerRecord = true, -1
	fields, err := rd.Read()
	if err != nil {
		return nil
	}
	for k, f := range fields {
		fields[k] = strings.ReplaceAll(f, `\"`, `"`)
	}
	return fields
}
