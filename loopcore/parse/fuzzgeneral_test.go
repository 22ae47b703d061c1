package parse

import "testing"

// FuzzGeneral gives the general reader, and the one that takes interleaved
// output apart, all recorded runs as if no other reader were there.
func FuzzGeneral(f *testing.F) {
	for _, dir := range []string{"general", "streams", "pytest", "mocha", "phpunit", "rustc", "phpcs", "eslint"} {
		for _, x := range loadFixtures(f, dir) {
			f.Add(x.in.Text, x.in.Exit)
		}
	}
	f.Add([]byte("✗ parse a) [b (c\n  expected 1 got 2\n"), 1)
	f.Add([]byte("Invalid template\nline 12, col 4\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, exit int) {
		in := Input{Text: text, Exit: exit, HasExit: true}
		sound(t, in, readWith(NewLog(in), nil))
	})
}
