package parse

import (
	"strings"

	"fixloop/loopcore"
)

// gcc reads GCC, Clang and whatever prints their diagnostics (gfortran,
// clang -fdiagnostics-format=msvc, nvcc, icx, swiftc, kotlinc).
var gcc = Reader{
	Name: "gcc",
	Kind: loopcore.KindBuild,
	Spot: func(l *Log) bool {
		return l.HasAny(": error: ", ": fatal error: ", ": warning: ", "error : ", " error generated", " errors generated", "internal compiler error")
	},
	Read: readGCC,
}

// gccFiles are the extensions of what these compilers compile.
var gccFiles = []string{
	".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tcc", ".tpp", ".m", ".mm", ".cu", ".cuh", ".S", ".s",
	".f", ".f90", ".f95", ".F90", ".for", ".d", ".adb", ".ads", ".swift", ".metal", ".cl", ".ino", ".ixx", ".cppm", ".y", ".l", ".yy", ".ll",
	".def", ".inc", ".i", ".zig", ".nim", ".vala", ".proto", ".td",
}

func readGCC(l *Log, c *Claims) loopcore.Report {
	const me = "gcc"
	var r loopcore.Report
	var via instantiation
	var driver []loopcore.Failure
	total, told := 0, false
	for i := 0; i < len(l.Lines); i++ {
		line := l.Lines[i]
		if !c.Free(me, i) {
			continue
		}
		if n, ok := clangTotal(line); ok {
			total, told = total+n, true
			c.Take(me, i, i+1)
			continue
		}
		if f, ok := compilerDriver(l, i); ok {
			driver = append(driver, f)
			c.Take(me, i, i+1)
			continue
		}
		d, ok := scanDiagnostic(line)
		if !ok || !gccFile(d.file) || strings.HasPrefix(d.text, failureIn) { // a test's, for editors
			continue
		}
		if strings.HasSuffix(d.text, " requested here") {
			via.requested(l, r.Failures, d)
		}
		if via.note(d) {
			c.Take(me, i, i+1)
			continue
		}
		f, ok := gccDiagnostic(l, i, d, &via)
		end := continuation(l, i+1)
		if ok {
			r.Failures = append(roomy(r.Failures), f)
			c.Take(me, i, end)
		} else if d.severity == "note" {
			c.Take(me, i, end)
		}
		i = end - 1
	}
	if counting(r.Failures) == 0 {
		r.Failures = append(r.Failures, driver...)
	}
	r.Failures = errorsOnly(instantiated(r.Failures))
	r = diagnosticReport(r, 0, false)
	if told && len(r.Failures) > 0 && total > r.Counts.Errors {
		r.Counts, r.Counted = loopcore.Counts{Errors: total}, true
	}
	return r
}

// compilerDriver reads "gcc: error: unrecognized command-line option" and
// "cc1: fatal error: a.c: No such file or directory".
func compilerDriver(l *Log, i int) (loopcore.Failure, bool) {
	tool, rest, ok := strings.Cut(l.Lines[i], ": ")
	if !ok || !strings.Contains(rest, "error: ") {
		return loopcore.Failure{}, false
	}
	sev, text := scanSeverity(rest)
	if sev != "error" && sev != "fatal error" || !strings.HasPrefix(rest, sev+": ") {
		return loopcore.Failure{}, false
	}
	tool = tool[strings.LastIndexByte(tool, '/')+1:]
	switch strings.TrimRight(tool, "-.0123456789") {
	case "gcc", "g++", "cc", "c++", "cc1", "cc1plus", "clang", "clang++", "gfortran", "swiftc", "nvcc", "clang-cl":
	default:
		return loopcore.Failure{}, false
	}
	if strings.HasPrefix(text, "linker command failed") || text == "no input files" {
		return loopcore.Failure{}, false
	}
	return loopcore.Failure{Kind: loopcore.FailCompile, Message: text, At: l.Number(i)}, true
}

// instantiated keeps one of the errors that one line of the repository causes
// in foreign headers, and counts them only where there are no others. It works
// in place.
func instantiated(fs []loopcore.Failure) []loopcore.Failure {
	alone := counting(fs) == 0
	type key struct {
		file string
		line int
	}
	seen := map[key]bool{}
	out := fs[:0]
	for _, f := range fs {
		if len(f.Frames) > 0 {
			k := key{f.File, f.Line}
			if seen[k] {
				continue
			}
			seen[k] = true
			f.Optional = !alone
		}
		out = append(out, f)
	}
	return out
}

// errorsOnly drops the warnings of a build that failed: they are not why.
func errorsOnly(fs []loopcore.Failure) []loopcore.Failure {
	errors, count := 0, false
	for i := range fs {
		if fs[i].Kind != loopcore.FailLint {
			errors++
			count = count || !fs[i].Optional
		}
	}
	if !count || errors == len(fs) {
		return fs
	}
	out := make([]loopcore.Failure, 0, errors)
	for _, f := range fs {
		if f.Kind != loopcore.FailLint {
			out = append(out, f)
		}
	}
	return out
}

func gccFile(p string) bool {
	dot := strings.LastIndexByte(p, '.')
	if p == "<stdin>" {
		return true
	}
	if dot < 0 {
		return strings.Contains(p, "/c++/") || strings.Contains(p, "/include/")
	}
	for _, e := range gccFiles {
		if p[dot:] == e {
			return true
		}
	}
	return false
}

func gccDiagnostic(l *Log, i int, d diagnostic, via *instantiation) (loopcore.Failure, bool) {
	f := d.failure(l, i, loopcore.FailCompile)
	switch d.severity {
	case "error", "fatal error", "internal compiler error":
		via.locate(l, &f, d)
	case "warning":
		f.Kind, f.Optional = loopcore.FailLint, true
	default:
		return f, false
	}
	f.Message, f.Rule = takeRule(d.text, '[', ']')
	f.Rule = strings.TrimPrefix(f.Rule, "-Werror,")
	f.Rule = strings.Replace(f.Rule, "-Werror=", "-W", 1)
	if strings.HasPrefix(f.Message, "(") && strings.Contains(f.Message, ") ") && d.severity == "warning" {
		return f, false
	}
	return f, !strings.HasSuffix(f.Message, "generated.")
}

// instantiation is the chain of "required from here" lines above an error in a
// header that the repository does not own: its last place is where the fix goes.
type instantiation struct {
	user diagnostic
}

// note takes up a line of the chain.
func (v *instantiation) note(d diagnostic) bool {
	if d.severity != "" || !strings.HasPrefix(d.text, "required ") && !strings.HasPrefix(d.text, "recursively required ") && !strings.HasPrefix(d.text, "in ‘constexpr’ expansion") {
		return false
	}
	v.user = d
	return true
}

// locate moves a failure from a foreign header to the line that asked for it.
func (v *instantiation) locate(l *Log, f *loopcore.Failure, d diagnostic) {
	user := v.user
	v.user = diagnostic{}
	if user.file == "" || !l.Foreign(d.file) || l.Foreign(user.file) {
		return
	}
	f.Frames = append(f.Frames, loopcore.Frame{File: f.File, Line: f.Line})
	f.File, f.Line, f.Column = l.Path(user.file), user.line, user.col
	f.Optional = true
}

// requested is Clang's way, which names the line that asked after the error.
func (v *instantiation) requested(l *Log, fs []loopcore.Failure, d diagnostic) {
	if n := len(fs); n > 0 && l.Foreign(fs[n-1].File) && !l.Foreign(d.file) {
		v.user = d
		f := &fs[n-1]
		v.locate(l, f, diagnostic{file: f.File})
	}
}

// clangTotal reads "3 warnings and 2 errors generated.".
func clangTotal(line string) (int, bool) {
	if !strings.HasSuffix(line, " generated.") {
		return 0, false
	}
	if _, rest, ok := strings.Cut(line, " and "); ok {
		line = rest
	}
	n, rest := number(line)
	return n, strings.HasPrefix(rest, " error")
}
