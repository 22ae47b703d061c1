package parse

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// siblings gives a failure without any place (its text was cut off, or only a
// list names it) the file that every placed test of its class or module is of.
func siblings(l *Log, fs []loopcore.Failure) {
	if !slices.ContainsFunc(fs, func(f loopcore.Failure) bool { return f.Name != "" && f.File == "" }) {
		return
	}
	const many = "\x00"
	of := map[string]string{}
	for _, f := range fs {
		group, file := home(f), testFile(l, f)
		switch {
		case file == "", group == "", strings.HasSuffix(file, ".go"): // a package has many files
		case of[group] == "" || of[group] == file:
			of[group] = file
		default:
			of[group] = many
		}
	}
	for i := range fs {
		if f := &fs[i]; f.Name != "" && f.File == "" && of[home(*f)] != many {
			f.File = of[home(*f)]
		}
	}
}

// home is the class or module that a test is of: what stands before its name
// as Rust and PHP write it, else its suite.
func home(f loopcore.Failure) string {
	if at := strings.LastIndex(f.Name, "::"); at > 0 {
		return f.Name[:at]
	}
	if f.Name == "" {
		return ""
	}
	return f.Suite
}

// between gives a failure without any place (a timeout has no stack) the file
// of the tests before and after it, where they are of one file: the runner
// reports file by file.
func between(l *Log, fs []loopcore.Failure) {
	after := make([]string, len(fs)+1) // the next file from here on
	for i := len(fs) - 1; i >= 0; i-- {
		if after[i] = testFile(l, fs[i]); after[i] == "" {
			after[i] = after[i+1]
		}
	}
	before := ""
	for i := range fs {
		if own := testFile(l, fs[i]); own != "" {
			before = own
		} else if fs[i].Name != "" && before == after[i] {
			fs[i].File = before
		}
	}
}

// testFile is the file of the test that a failure's stack leads back to.
func testFile(l *Log, f loopcore.Failure) string {
	for i := len(f.Frames) - 1; i >= 0; i-- {
		if file := f.Frames[i].File; !l.Foreign(file) {
			return l.Path(file)
		}
	}
	return f.File
}
