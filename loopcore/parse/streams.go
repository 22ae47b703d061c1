package parse

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// Tools that run several programs at once put before every line which one
// printed it. The lines of each are read as a log of their own, each by its own
// reader: concurrently, Turborepo, Lerna, pnpm, npm-run-all, Docker Compose.
const (
	sampled    = 600 // lines that are looked at to tell whether there are prefixes
	leastLines = 3   // of one prefix
	mostNames  = 200 // different prefixes
)

// prefixStyles tell how much of a line names the program that printed it, 0 for
// none.
var prefixStyles = []func(line string) int{bracketTag, taskTag, barTag, scriptTag, nameTag}

// streams takes a log apart by its prefixes: what each program printed, and the
// lines without a prefix; nil where there are none.
func streams(l *Log) (logs []*Log, rest *Log) {
	style := prefixStyle(l)
	if style == nil {
		return nil, nil
	}
	var order []string
	lines := map[string][]int{}
	for i, line := range l.Lines {
		name := ""
		if n := style(line); n > 0 {
			name = strings.TrimSpace(line[:n])
		}
		if lines[name] == nil {
			if len(order) > mostNames {
				return nil, nil
			}
			order = append(order, name)
		}
		lines[name] = append(lines[name], i)
	}
	rest = l.pick(lines[""], style)
	alone := len(order) == 1 || len(order) == 2 && lines[""] != nil
	for _, name := range order {
		if name != "" {
			s := l.pick(lines[name], style)
			if s.home == "" && strings.Contains(name, "/") && !strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "[") { // pnpm names the folder
				s.home, _, _ = strings.Cut(name, " ")
			}
			if alone && !s.In.HasExit {
				s.In.Exit, s.In.HasExit = l.In.Exit, l.In.HasExit
			}
			logs = append(logs, s)
		}
	}
	return logs, rest
}

// pick makes a log of some lines, without their prefixes. The exit code is that
// of the program, where the lines tell it.
func (l *Log) pick(lines []int, style func(string) int) *Log {
	s := &Log{In: l.In, Bytes: l.Bytes, marks: map[string]bool{}, dir: l.dir, sources: l.sources, known: l.known}
	s.In.Files, s.In.HasExit = nil, false
	exits := l.present(exitPhrases)
	dirs := l.present([]string{"npm error path ", "npm ERR! path "})
	s.Numbers = make([]int, 0, len(lines))
	var text strings.Builder
	text.Grow(min(len(l.text), len(lines)*(len(l.text)/len(l.Lines)+1)))
	for k, i := range lines {
		if k > 0 {
			text.WriteByte('\n')
		}
		line := l.Lines[i]
		rest := line[style(line):]
		text.WriteString(rest)
		s.Numbers = append(s.Numbers, l.Number(i))
		for _, p := range dirs {
			if dir, ok := strings.CutPrefix(rest, p); ok {
				s.home = strings.TrimSpace(dir)
			}
		}
		if code, ok := exitLine(rest, exits); ok {
			s.In.Exit, s.In.HasExit = code, true
		}
	}
	s.text = text.String()
	s.split()
	for len(s.Numbers) > len(s.Lines) { // an empty last line is none
		s.Numbers = s.Numbers[:len(s.Numbers)-1]
	}
	return s
}

// exitPhrases are how those who ran a program say how it ended, before the code.
var exitPhrases = []string{"npm error code ", "npm ERR! code ", "exited with code ", "error Command failed with exit code ", "Exit status ",
	"exit code ", "exited (", "Process completed with exit code "}

// exitLine reads how a program ended, in one of the phrases.
func exitLine(s string, phrases []string) (int, bool) {
	if len(phrases) == 0 {
		return 0, false
	}
	t := strings.TrimSpace(s)
	for _, p := range phrases {
		at := strings.LastIndex(t, p)
		if at < 0 {
			continue
		}
		digits := t[at+len(p):]
		if rest := strings.TrimLeft(digits, "0123456789"); rest != digits && len(rest) < 3 {
			return atoi(digits), true
		}
	}
	return 0, false
}

// prefixStyle finds the style that most of the lines have, with prefixes that
// come again and again.
func prefixStyle(l *Log) func(string) int {
	step := max(1, len(l.Lines)/sampled)
	for _, style := range prefixStyles {
		with, all, of := 0, 0, map[string]int{}
		for i := 0; i < len(l.Lines); i += step {
			line := l.Lines[i]
			if strings.TrimSpace(line) == "" {
				continue
			}
			all++
			if n := style(line); n > 0 {
				with++
				of[strings.TrimSpace(line[:n])]++
			}
		}
		often := 0
		for _, n := range of {
			if n >= leastLines {
				often += n
			}
		}
		if with == all && with > 0 && len(of) == 1 && tellsAlone(of) {
			return style
		}
		if with*10 >= all*6 && often*10 >= with*8 && with >= 2*leastLines && len(of) <= mostNames && !alternating(of) {
			return style
		}
	}
	return nil
}

// tellsAlone reports whether the one prefix of a short log can be nothing else:
// `name-1  |`, or `package:task:` where that is no place in a file.
func tellsAlone(of map[string]int) bool {
	for name, n := range of {
		name, bar := strings.CutSuffix(name, "|")
		if bar {
			name = strings.TrimRight(name, " ")
			at := strings.LastIndexAny(name, "-_")
			return at > 0 && atoi(name[at+1:]) > 0
		}
		_, task, ok := cutLast(strings.TrimSuffix(name, ":"), ":")
		return ok && n >= 2 && strings.Trim(task, "0123456789") != "" && !sourceFile(task) && !alternating(of)
	}
	return false
}

// alternating reports whether the prefixes are words of a runner's own, such as
// the results of its tests.
func alternating(of map[string]int) bool {
	for name := range of {
		word := strings.ToLower(strings.Trim(name, "[]:| =-\t"))
		switch word {
		case "", "ok", "fail", "failed", "pass", "passed", "skip", "skipped", "run", "error", "warn", "warning", "info", "debug", "trace",
			"fatal", "note", "notice", "x", "e", "w", "i", "not ok", "make", "err", "out", "test", "failure":
			return true
		}
	}
	return false
}

// tagRunes reports whether s can be a program's or package's name.
func tagRunes(s, more string) bool {
	if s == "" || len(s) > 60 {
		return false
	}
	letter := false
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 {
			letter = true
			continue
		}
		if (r < '0' || r > '9') && !strings.ContainsRune("-_.@/"+more, r) {
			return false
		}
	}
	return letter || strings.Trim(s, "0123456789") == ""
}

// bracketTag reads `[name] text`.
func bracketTag(line string) int {
	from := indent(line) // Ant's are to the right
	if from == len(line) || line[from] != '[' {
		return 0
	}
	if n := bracketEnd(line[from:]); n > 0 {
		return from + n
	}
	return 0
}

func bracketEnd(line string) int {
	end := strings.IndexByte(line, ']')
	if end < 2 || !tagRunes(line[1:end], " :#") || line[1] == ' ' {
		return 0
	}
	if end+1 == len(line) {
		return end + 1
	}
	if line[end+1] != ' ' {
		return 0
	}
	return end + 2
}

// taskTag reads Turborepo's and Nx's `package:task: text`.
func taskTag(line string) int {
	at := strings.Index(line, ": ")
	if at < 0 && strings.HasSuffix(line, ":") {
		at = len(line) - 1
	}
	if at < 3 || !strings.Contains(line[:at], ":") && !strings.Contains(line[:at], "#") || !tagRunes(line[:at], ":#") || strings.ContainsAny(line[at-1:at], "0123456789") && strings.Contains(line[:at], ".") {
		return 0
	}
	return min(at+2, len(line))
}

// barTag reads Docker Compose's `name-1  | text`.
func barTag(line string) int {
	at := strings.IndexByte(line, '|')
	if at < 2 || line[at-1] != ' ' || !tagRunes(strings.TrimRight(line[:at], " "), "") || strings.Trim(line[:at], "0123456789 ") == "" {
		return 0
	}
	if at+1 < len(line) && line[at+1] != ' ' {
		return 0
	}
	return min(at+2, len(line))
}

// scriptTag reads pnpm's `packages/a test: text` and `packages/a test$ command`.
func scriptTag(line string) int {
	at := strings.IndexAny(line, ":$")
	if at < 3 || at+1 < len(line) && line[at+1] != ' ' {
		return 0
	}
	dir, task, ok := strings.Cut(line[:at], " ")
	if !ok || !tagRunes(dir, "") || !tagRunes(task, ":") || !strings.ContainsAny(dir, "/.-@") && dir != strings.ToLower(dir) {
		return 0
	}
	return min(at+2, len(line))
}

// nameTag reads Lerna's `name: text`. A file's name is none, nor is a sentence.
func nameTag(line string) int {
	at := strings.Index(line, ": ")
	if at < 0 && strings.HasSuffix(line, ":") {
		at = len(line) - 1
	}
	if at < 2 || strings.Trim(line[:at], "0123456789") == "" || !tagRunes(line[:at], "") || sourceFile(line[:at]) || line[:at] != strings.ToLower(line[:at]) {
		return 0
	}
	return min(at+2, len(line))
}

// readStreams reads every stream of a log as a part of the whole. The lines
// without a prefix are mostly of the tool that runs the programs: of them only
// what a known reader knows counts.
func readStreams(logs []*Log, rest *Log, readers []Reader) []part {
	parts, _ := readParts(rest, readers)
	parts = withoutEchoes(parts)
	for _, s := range logs {
		rep := readText(s, readers)
		if empty(rep) {
			continue
		}
		s.atHome(&rep)
		parts = append(parts, part{Reader{Name: rep.Runner, Kind: rep.Kind}, rep})
	}
	return parts
}

// atHome makes the paths of a stream's report relative to the whole repository,
// where the output tells the folder that the program ran in.
func (l *Log) atHome(r *loopcore.Report) {
	if l.home == "" {
		return
	}
	in := func(file string) string {
		if at := strings.LastIndex(file, "/"+l.home+"/"); at >= 0 && absolute(file) && !absolute(l.home) {
			return file[at+1:]
		}
		if file == "" || absolute(file) || l.Foreign(file) || strings.HasPrefix(file, l.home+"/") {
			return file
		}
		return l.Path(path.Join(l.home, file))
	}
	for i := range r.Failures {
		f := &r.Failures[i]
		f.File = in(f.File)
		for k := range f.Frames {
			f.Frames[k].File = in(f.Frames[k].File)
		}
	}
	for i := range r.Tests {
		r.Tests[i].File = in(r.Tests[i].File)
	}
}

// readText reads one program's output: by the readers that know it, or the
// general one.
func readText(l *Log, readers []Reader) loopcore.Report {
	parts, c := readParts(l, readers)
	return general(l, c, parts, merge(l, withoutEchoes(parts)))
}
