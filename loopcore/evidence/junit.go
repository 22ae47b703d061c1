package evidence

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"fixloop/loopcore"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr,omitempty"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	File      string        `xml:"file,attr,omitempty"`
	Line      int           `xml:"line,attr,omitempty"`
	Time      string        `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure,omitempty"`
	Error     *junitProblem `xml:"error,omitempty"`
	Skipped   *struct{}     `xml:"skipped,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// junit writes the dialect that most readers share: suites in order of first
// sight, a failure for an assertion, an error for anything else that is red.
// Durations per test are not known and written as 0. Passed tests that nobody
// named are counted in the totals of a suite of their own.
func junit(x Export) ([]byte, error) {
	root := junitSuites{Name: xmlText(x.Name), Time: seconds(x.milliseconds())}
	at := map[string]int{}
	suite := func(name string) *junitSuite {
		if name == "" {
			name = "(no suite)"
		}
		i, known := at[name]
		if !known {
			i = len(root.Suites)
			at[name] = i
			root.Suites = append(root.Suites, junitSuite{Name: xmlText(name), Time: "0.000", Timestamp: timestamp(x.Started)})
		}
		return &root.Suites[i]
	}
	all := x.results()
	for _, r := range all {
		suite(r.suite).add(r)
	}
	if passed, skipped := x.unnamed(all); passed+skipped > 0 {
		s := suite("tests that the output does not name")
		s.Tests, s.Skipped = s.Tests+passed+skipped, s.Skipped+skipped
	}
	for _, s := range root.Suites {
		root.Tests, root.Failures, root.Errors, root.Skipped = root.Tests+s.Tests, root.Failures+s.Failures, root.Errors+s.Errors, root.Skipped+s.Skipped
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func (s *junitSuite) add(r result) {
	c := junitCase{Name: xmlText(r.name), Classname: s.Name, File: xmlText(r.file), Line: r.line, Time: "0.000"}
	s.Tests++
	switch r.status {
	case resultFailed:
		s.Failures++
		c.Failure = problem(r, string(loopcore.FailAssertion))
	case resultErrored:
		s.Errors++
		c.Error = problem(r, string(r.failure.Kind))
	case resultKilled:
		s.Errors++
		c.Error = &junitProblem{Message: xmlText(r.reason), Type: "killed"}
	case resultSkipped:
		s.Skipped++
		c.Skipped = &struct{}{}
	}
	s.Cases = append(s.Cases, c)
}

func problem(r result, kind string) *junitProblem {
	return &junitProblem{Message: xmlText(loopcore.CleanLine(r.failure.Message, 0)), Type: kind, Text: xmlText(r.detail())}
}

func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }

// xmlText is s without what XML 1.0 can not hold, not even escaped.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff || r == utf8.RuneError {
			return 0xfffd
		}
		return r
	}, loopcore.Clean(s))
}
