package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"fixloop/loopcore"
	"fixloop/server/internal/proc"
)

// noteClient keeps which process started this server: the agent's client. What
// that process starts is no terminal of a person's.
func (s *space) noteClient() {
	path := filepath.Join(s.dir, "client")
	line := fmt.Sprintf("%d %d\n", os.Getpid(), os.Getppid())
	if old, err := os.ReadFile(path); err == nil && string(old) == line {
		return
	}
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		s.log.Warn("the client could not be noted", "err", err)
	}
}

// byPerson refuses a process that the agent's client started, whatever
// terminal it made for itself.
func (s *space) byPerson() error {
	data, err := os.ReadFile(filepath.Join(s.dir, "client"))
	if err != nil {
		return nil // no server ever ran a gate here
	}
	var server, client int
	if n, err := fmt.Sscanf(string(data), "%d %d", &server, &client); n != 2 || err != nil || server == os.Getpid() || client <= 1 {
		return nil
	}
	if proc.Below(os.Getppid(), client) {
		return loopcore.Refuse(loopcore.CodeNotConfirmed, "open a terminal that the client did not start, and run `fixloop waive` there",
			"only a person can waive, and this terminal belongs to the client of the agent")
	}
	return nil
}
