package proc

import "os/exec"

// Launch starts a program of the desktop on a file and leaves it alone.
func Launch(program, path string) error {
	cmd := exec.Command(program, path)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
