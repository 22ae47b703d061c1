package loopcore

import "bytes"

// MaxNesting is how deep a YAML file of a repository may nest. The readers of
// such files take time by the square of the depth: 100,000 brackets, a small
// file, hold a reader for minutes.
const MaxNesting = 500

// TooDeep reports whether text that should be YAML nests deeper than
// MaxNesting, by its brackets and its runs of dashes. It does not read strings,
// so that one with hundreds of open brackets counts too; no file of a project
// holds such.
func TooDeep(text []byte) bool {
	depth := 0
	for line := range bytes.Lines(text) {
		dashes := 0
		for bytes.HasPrefix(line[min(2*dashes, len(line)):], []byte("- ")) {
			dashes++
		}
		if dashes > MaxNesting {
			return true
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				if depth++; depth > MaxNesting {
					return true
				}
			case ']', '}':
				depth = max(depth-1, 0)
			}
		}
	}
	return false
}
