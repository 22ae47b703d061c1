//go:build linux || darwin

package proc

// entry is one process as the system lists it.
type entry struct {
	pid, ppid, pgid, sid int
	start                uint64 // see Started
	dead                 bool   // ended, waiting for its parent to read its status
}

// family returns the processes that are proved to be of a run: those that seed
// accepts, their descendants, and all members of a session that one of them is
// in. The last is sound because nobody can join a session: its members descend
// from its leader, and a run's processes are only ever in a session that the
// run itself began.
func family(all []entry, seed func(entry) bool) []entry {
	pids, sids := map[int]bool{}, map[int]bool{}
	in := make([]bool, len(all))
	var found []entry
	for grown := true; grown; {
		grown = false
		for i, e := range all {
			if in[i] || !(pids[e.ppid] || sids[e.sid] || seed(e)) {
				continue
			}
			in[i], grown = true, true
			found = append(found, e)
			pids[e.pid] = true
			if e.sid > 0 {
				sids[e.sid] = true
			}
		}
	}
	return found
}

// living counts those that have not ended.
func living(es []entry) int {
	n := 0
	for _, e := range es {
		if !e.dead {
			n++
		}
	}
	return n
}
