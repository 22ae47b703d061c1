package parse

import (
	"io/fs"
	"strings"
)

// maxSource bounds how much of a source file is read.
const maxSource = 2 << 20

// sourceText is a file of the sources, "" where they are not at hand.
func sourceText(l *Log, file string) string {
	if l.In.Root == nil || file == "" || !fs.ValidPath(file) {
		return ""
	}
	if s, ok := l.sources[file]; ok {
		return s
	}
	text := ""
	if st, err := fs.Stat(l.In.Root, file); err == nil && st.Mode().IsRegular() && st.Size() <= maxSource {
		if b, err := fs.ReadFile(l.In.Root, file); err == nil {
			text = string(b)
		}
	}
	if l.sources == nil {
		l.sources = map[string]string{}
	}
	l.sources[file] = text
	return text
}

// sourceLine is one line of a source file, "" where it is not at hand.
func sourceLine(l *Log, file string, line int) string {
	text := sourceText(l, file)
	for line > 1 && text != "" {
		_, text, _ = strings.Cut(text, "\n")
		line--
	}
	s, _, _ := strings.Cut(text, "\n")
	return s
}
