package parse

import "testing"

// TestForeign: a frame in a dependency, or in what the machine has installed, is
// not where a failure is; one of the repository is.
func TestForeign(t *testing.T) {
	for p, want := range map[string]bool{
		`C:\Program Files\Go\src\testing\testing.go`:                                         true,
		`C:\Users\dev\AppData\Local\Programs\Python\Python312\Lib\unittest\case.py`:          true,
		`C:\hostedtoolcache\windows\Ruby\3.3.1\x64\lib\ruby\3.3.0\json\common.rb`:            true,
		`C:\Users\dev\shop\node_modules\chai\index.js`:                                       true,
		"/opt/homebrew/Cellar/go/1.22.0/libexec/src/testing/testing.go":                      true,
		"/Library/Frameworks/Python.framework/Versions/3.12/lib/python3.12/unittest/case.py": true,
		"/usr/lib/python3/dist-packages/_pytest/python.py":                                   true,
		"/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0/src/lib.rs":    true,
		`C:\Users\dev\shop\src\cart.py`:                                                      false,
		`C:\Go projects\shop\cart.go`:                                                        false,
		"/Users/dev/shop/lib/cart.rb":                                                        false,
		"src/program files/cart.ts":                                                          false,
	} {
		if got := new(Log).Foreign(p); got != want {
			t.Errorf("%s: foreign is %v, want %v", p, got, want)
		}
	}
}

func TestWithoutDrive(t *testing.T) {
	for p, want := range map[string]string{`C:\a\b.rs`: `\a\b.rs`, "C:/a/b.rs": "/a/b.rs", "/a/b.rs": "/a/b.rs", "a:b": "a:b", "": ""} {
		if got := withoutDrive(p); got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
}
