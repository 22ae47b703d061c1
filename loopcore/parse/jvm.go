package parse

import (
	"strings"

	"fixloop/loopcore"
)

// javaFrame is one line of a JVM stack trace.
type javaFrame struct {
	class, method, file string
	line                int
}

// scanJavaFrame reads "at mod/pkg.Class.method(File.java:12)", with or without
// the at.
func scanJavaFrame(s string) (javaFrame, bool) {
	s = strings.TrimSpace(s)
	s, at := strings.CutPrefix(s, "at ")
	open := strings.LastIndexByte(s, '(')
	if open <= 0 || !strings.HasSuffix(s, ")") {
		if open <= 0 || !at {
			return javaFrame{}, false
		}
	}
	name := s[:open]
	if p := strings.LastIndexByte(name, '/'); p >= 0 {
		name = name[p+1:] // module@version/
	}
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || strings.ContainsAny(name, " :=") {
		return javaFrame{}, false
	}
	f := javaFrame{class: name[:dot], method: name[dot+1:]}
	place, _, _ := strings.Cut(s[open+1:], ")")
	f.file, place, _ = strings.Cut(place, ":")
	f.line, _ = number(place)
	return f, at || f.line > 0 || place == "" && strings.Contains(s, "Native Method")
}

// path is the source's path below its source folder: the package as folders.
func (f javaFrame) path() string {
	pkg := f.class
	if p := strings.LastIndexByte(pkg, '.'); p >= 0 {
		return strings.ReplaceAll(pkg[:p], ".", "/") + "/" + f.file
	}
	return f.file
}

// javaForeign are the packages of the language, of test frameworks and of the
// builds that start them.
var javaForeign = []string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "junit.", "org.junit.", "org.hamcrest.", "org.assertj.", "org.opentest4j.", "org.mockito.",
	"org.testng.", "org.spockframework.", "groovy.", "org.codehaus.groovy.",
	"org.apache.groovy.", "org.apache.maven.", "org.gradle.", "kotlin.", "kotlinx.", "scala.", "clojure.", "org.scalatest.", "org.scalactic.",
	"io.kotest.", "munit.", "sbt.", "org.springframework.", "com.google.common.", "jakarta.", "zio.", "org.specs2.", "com.intellij.",
	"reflect.",
	"android.", "androidx.", "com.google.truth.", "org.robolectric.", "io.mockk.", "org.jetbrains.",
}

func (f javaFrame) foreign() bool {
	return hasAnyPrefix(f.class, javaForeign)
}

// javaTrace is what a stack trace tells: its frames and the one to show.
type javaTrace struct {
	frames []loopcore.Frame
	file   string
	line   int
}

// add takes up a frame; the first in the repository is where it happened.
func (t *javaTrace) add(f javaFrame) {
	if f.line == 0 || f.foreign() || len(t.frames) >= 50 {
		return
	}
	t.frames = append(t.frames, loopcore.Frame{File: f.path(), Line: f.line, Func: f.class + "." + f.method})
	if t.file == "" {
		t.file, t.line = f.path(), f.line
	}
}

// javaKind tells an assertion from an error and a time-out by the exception.
func javaKind(exception, message string) loopcore.FailureKind {
	switch {
	case strings.Contains(exception, "TimedOut") || strings.Contains(exception, "Timeout") || strings.Contains(message, "timed out after"):
		return loopcore.FailTimeout
	case strings.Contains(exception, "Assert") || strings.Contains(exception, "ComparisonFailure") ||
		strings.Contains(exception, "MultipleFailuresError") || strings.Contains(exception, "ConditionNotSatisfied") ||
		strings.Contains(exception, "TestFailedException") || strings.Contains(exception, "WantedButNotInvoked"):
		return loopcore.FailAssertion
	}
	return loopcore.FailError
}

// exceptionName splits "pkg.SomeException: message"; name is "" where the line
// begins with none.
func exceptionName(line string) (name, message string) {
	name, message, _ = strings.Cut(line, ": ")
	name = strings.TrimSuffix(name, ":")
	if !strings.Contains(name, ".") || strings.ContainsAny(name, " ()/[]<>'\"") {
		return "", line
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || last[0] < 'A' || last[0] > 'Z' {
		return "", line
	}
	return name, strings.TrimSpace(message)
}

// throwable is a printed exception, taken up line by line.
type throwable struct {
	exception string
	message   []string
	trace     javaTrace
	caused    bool // what follows belongs to its cause
}

// line takes up one line, the exception's first.
func (t *throwable) line(s string) {
	s = strings.TrimSpace(s)
	if frame, ok := scanJavaFrame(s); ok && (strings.HasPrefix(s, "at ") || t.exception != "" && frame.line > 0) {
		t.trace.add(frame)
		return
	}
	switch {
	case strings.HasPrefix(s, "Caused by: "), strings.HasPrefix(s, "Suppressed: "), strings.HasPrefix(s, "Wrapped by: "):
		t.caused = t.exception != ""
	case s == "", strings.HasPrefix(s, "at "), strings.HasPrefix(s, "... "), s == "[...]", t.caused, len(t.trace.frames) > 0,
		t.exception != "" && looksLikeFrame(s):
		return
	}
	if t.caused {
		return
	}
	if t.exception == "" && len(t.message) == 0 {
		t.exception, s = exceptionName(s)
		if javaKind(t.exception, s) == loopcore.FailError && t.exception != "" {
			s = strings.TrimSpace(shortException(t.exception) + ": " + s)
		}
	}
	if s != "" {
		t.message = append(t.message, s)
	}
}

// into completes a failure with what the exception told.
func (t *throwable) into(f *loopcore.Failure) {
	f.Message = strings.TrimSuffix(oneLine(strings.Join(t.message, "\n")), ":")
	if f.Message == "" {
		f.Message = t.exception
	}
	if f.Message == "" {
		f.Message = "failed"
	}
	f.Kind = javaKind(t.exception, f.Message)
	f.File, f.Line, f.Frames = t.trace.file, t.trace.line, t.trace.frames
}

// looksLikeFrame tells frames without a place, and those of libraries.
func looksLikeFrame(t string) bool {
	return strings.HasSuffix(t, ")") && strings.Contains(t, ".java:") || strings.HasSuffix(t, "(Native Method)") || strings.HasSuffix(t, "(Unknown Source)")
}
