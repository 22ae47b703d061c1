package proc

// Below is not known on this system.
func Below(int, int) bool { return false }
