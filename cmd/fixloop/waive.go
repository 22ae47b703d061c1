package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/mattn/go-isatty"

	"fixloop/loopcore"
)

// confirm shows a finding on the controlling terminal and waits for a yes. It
// refuses without a terminal, and below an agent: the answer is a person's.
func (a *app) confirm(f loopcore.Finding) (bool, error) {
	refuse := loopcore.Refuse(loopcore.CodeNotConfirmed, "run `fixloop waive` yourself, in a terminal of your own", "only a person can waive, on a terminal")
	for _, v := range []string{"CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "AGENT"} {
		if os.Getenv(v) != "" {
			return false, refuse
		}
	}
	stdin, ok := a.in.(*os.File)
	if !ok || !isatty.IsTerminal(stdin.Fd()) || !isatty.IsTerminal(os.Stdout.Fd()) {
		return false, refuse
	}
	fmt.Fprintf(a.out, "%s  %s  %s  (finding %s)\n  %s\n  %s\nType %s, or the finding's id, to accept exactly this change: ", f.Severity, f.Rule, place(f.File, f.Line), f.ID, f.Change, f.Why, f.Rule)
	line, err := bufio.NewReader(stdin).ReadString('\n')
	if err != nil {
		return false, refuse
	}
	return agrees(line, f), nil
}

// agrees says whether a person typed what they were asked for.
func agrees(line string, f loopcore.Finding) bool {
	line = strings.TrimSpace(line)
	return line != "" && (strings.EqualFold(line, f.Rule) || line == f.ID)
}
