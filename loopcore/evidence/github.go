package evidence

import (
	"bytes"
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// github writes GitHub Actions annotations, one line each: failures and
// findings, errors first because GitHub shows only the first few.
func github(x Export) ([]byte, error) {
	var errors, others bytes.Buffer
	for _, f := range x.Report.Failures {
		to, level := &errors, "error"
		if f.Optional {
			to, level = &others, "warning"
		}
		title := f.Name
		if title == "" {
			title = f.Rule
		}
		annotate(to, level, f.File, f.Line, f.Column, title, f.Message)
	}
	for _, k := range x.Report.Killed {
		annotate(&errors, "error", "", 0, 0, k.Suite, "ended from outside ("+strings.TrimSpace(k.Reason+" "+k.Signal)+"): its result is not known")
	}
	for _, f := range x.Findings {
		to, level := &others, "warning"
		switch f.Severity {
		case loopcore.SevBlock:
			to, level = &errors, "error"
		case loopcore.SevWarn:
			level = "notice"
		}
		annotate(to, level, f.File, f.Line, 0, f.Rule, sentences(f.Change, f.Why))
	}
	return append(errors.Bytes(), others.Bytes()...), nil
}

func annotate(b *bytes.Buffer, level, file string, line, column int, title, message string) {
	var props []string
	add := func(name, value string) {
		value = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(loopcore.CleanLine(value, 0))
		if value != "" {
			props = append(props, name+"="+value)
		}
	}
	add("file", file)
	if file != "" && line > 0 {
		add("line", fmt.Sprint(line))
		if column > 0 {
			add("col", fmt.Sprint(column))
		}
	}
	add("title", title)
	space := ""
	if len(props) > 0 {
		space = " "
	}
	message = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(loopcore.Clean(message))
	fmt.Fprintf(b, "::%s%s%s::%s\n", level, space, strings.Join(props, ","), message)
}
