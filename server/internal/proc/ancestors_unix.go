//go:build linux || darwin

package proc

// maxDepth bounds a walk up the processes.
const maxDepth = 64

// Below reports whether process pid was started by process top, or by one that
// top started, and so on. What was cut off from its starter is not.
func Below(pid, top int) bool {
	for range maxDepth {
		if pid <= 1 {
			return false
		}
		if pid == top {
			return true
		}
		e, ok := lookUp(pid)
		if !ok {
			return false
		}
		pid = e.ppid
	}
	return false
}
