package stack

import "strings"

// setupPrograms prepare a run and are part of no step.
var setupPrograms = map[string]bool{
	"echo": true, "printf": true, "mkdir": true, "cp": true, "mv": true, "ln": true, "rm": true, "rimraf": true, "del": true, "del-cli": true,
	"cat": true, "ls": true, "pwd": true, "sleep": true, "wait": true, "wait-on": true, "test": true, "[": true, "[[": true, "which": true,
	"apt": true, "apt-get": true, "brew": true, "choco": true, "dnf": true, "yum": true, "apk": true, "pacman": true, "pip": true,
	"pip3": true, "pipx": true, "conda": true, "mamba": true, "micromamba": true, "curl": true, "wget": true, "git": true, "unzip": true,
	"tar": true, "chmod": true, "touch": true, "source": true, ".": true, "corepack": true, "nvm": true, "rustup": true, "gem": true,
	"husky": true, "simple-git-hooks": true, "lefthook": true, "true": true, "false": true, ":": true, "exit": true, "return": true,
	"date": true, "df": true, "free": true, "uname": true, "sed": true, "grep": true, "awk": true, "head": true, "find": true, "xargs": true,
	"jq": true, "sysctl": true, "ulimit": true, "export": true, "unset": true, "trap": true, "eval": true, "read": true, "shift": true,
	"local": true, "type": true, "hash": true, "asdf": true, "sdkmanager": true, "wc": true, "diff": true, "sort": true, "tr": true,
	"cut": true, "rsync": true, "cpy": true, "copyfiles": true, "cpx": true, "shx": true, "mkdirp": true, "make-dir": true,
	"patch-package": true, "setx": true, "cls": true, "codecov": true, "bash-completion": true,
}

// wrapper says how many words a wrapper takes before the command it runs.
type wrapper struct {
	sub   []string // the sub command that runs another, "" = the wrapper itself
	value string   // flags that take a value, space separated
}

// wrappers run another command in a prepared environment. The exit code is the
// inner command's, so that the inner command says what is done.
var wrappers = map[string]wrapper{
	"env": {value: "-u -C --unset --chdir"}, "cross-env": {}, "cross-env-shell": {}, "time": {}, "command": {}, "exec": {},
	"nice": {value: "-n"}, "nohup": {}, "stdbuf": {}, "xvfb-run": {value: "-s -n -w -e -f --server-args --server-num"}, "xvfb-maybe": {},
	"dbus-run-session": {}, "catchsegv": {},
	"npx": {value: "-p --package"}, "pnpx": {}, "bunx": {}, "pnx": {}, "uvx": {value: "--from --with --python -p"},
	"c8":  {value: "-r --reporter --reports-dir -o --exclude -x --include -n --temp-directory --lines --branches --functions --statements --src --all-src"},
	"nyc": {value: "-r --reporter -x --exclude -n --include --report-dir --temp-dir --cwd"}, "dotenv": {value: "-e -c -v -p"},
	"dotenvx": {sub: []string{"run"}, value: "-f -e --env-file"}, "env-cmd": {value: "-f -e -r"}, "doppler": {sub: []string{"run"}},
	"direnv": {sub: []string{"exec"}}, "op": {sub: []string{"run"}, value: "--env-file"}, "infisical": {sub: []string{"run"}},
	"pnpm": {sub: []string{"exec", "dlx"}}, "yarn": {sub: []string{"exec", "dlx"}}, "npm": {sub: []string{"exec", "x"}}, "bun": {sub: []string{"x"}},
	"uv": {sub: []string{"run"},
		value: "--group --extra --python -p --package --with --no-group --only-group --env-file --directory --project --with-requirements --with-editable --isolated-with --index --index-url --resolution --prerelease"},
	"poetry": {sub: []string{"run"}}, "pdm": {sub: []string{"run"}}, "pipenv": {sub: []string{"run"}}, "rye": {sub: []string{"run"}},
	"pixi": {sub: []string{"run"}, value: "-e --environment --manifest-path"}, "hatch": {sub: []string{"run"}},
	"conda": {sub: []string{"run"}, value: "-n --name -p"}, "micromamba": {sub: []string{"run"}, value: "-n --name -p"},
	"mamba":    {sub: []string{"run"}, value: "-n --name -p"},
	"coverage": {sub: []string{"run"}, value: "--source --omit --include --rcfile --data-file --context --concurrency"},
	"bundle":   {sub: []string{"exec"}}, "mise": {sub: []string{"exec", "x"}}, "rtx": {sub: []string{"exec", "x"}},
	"nix": {sub: []string{"develop", "shell"}, value: "-c --command"}, "devbox": {sub: []string{"run"}}, "rbenv": {sub: []string{"exec"}},
	"appraisal": {}, "watchman-wait": {}, "start-server-and-test": {}, "opam": {sub: []string{"exec"}},
	"buildkite-agent": {sub: []string{"exec"}}, "wasm-pack-wrapper": {}, "hyperfine": {}, "retry": {}, "unbuffer": {}, "script-wrapper": {},
	"gtimeout": {}, "timeout": {value: "-k -s --signal --kill-after"}, "xargs": {value: "-n -P -I -L -d -s -a --max-args --max-procs"},
	"python": {}, "php": {value: "-d"}, "ruby": {}, "node": {}, "doas": {},
}

// unwrap takes wrappers, assignments and interpreters off a command.
func unwrap(words []string) []string {
	for range 12 {
		inner, ok := peel(words)
		if !ok {
			break
		}
		words = inner
	}
	return words
}

// peel takes one wrapper off; ok says whether there was one.
func peel(words []string) (inner []string, ok bool) {
	if len(words) == 0 {
		return words, false
	}
	if isAssign(words[0]) {
		return words[1:], true
	}
	name := programName(words[0])
	w, known := wrappers[name]
	if !known {
		return words, false
	}
	rest := words[1:]
	switch name {
	case "python", "ruby", "node", "php":
		in := unwrapInterpreter(name, rest)
		return in, in != nil
	case "timeout", "gtimeout":
		rest = skipFlags(rest, w.value)
		if len(rest) > 0 {
			rest = rest[1:]
		}
		return rest, true
	}
	if len(w.sub) > 0 {
		rest = skipGlobal(name, rest)
		if len(rest) == 0 || !hasFlag(w.sub, rest[0]) {
			return words, false
		}
		rest = rest[1:]
		switch name {
		case "nix":
			rest = afterFlag(rest, "-c", "--command")
		case "direnv":
			rest = rest[min(1, len(rest)):]
		}
	}
	if i := afterFlag(rest, "--"); name == "dotenv" && i != nil {
		rest = i
	}
	inner = skipFlags(rest, w.value)
	if len(inner) > 0 && inner[0] == "--" {
		inner = inner[1:]
	}
	if len(inner) == 0 {
		return words, false
	}
	if len(w.sub) > 0 || name == "npx" || name == "pnpx" || name == "bunx" || name == "uvx" || name == "pnx" {
		inner = append([]string{stripVersion(inner[0])}, inner[1:]...)
	}
	return inner, true
}

// unwrapInterpreter returns the command inside `python -m x`, `php vendor/bin/x`
// and the like, nil where the interpreter runs something of its own.
func unwrapInterpreter(name string, rest []string) []string {
	switch name {
	case "python":
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-W") || strings.HasPrefix(rest[0], "-X") || rest[0] == "-bb" || rest[0] == "-b" || rest[0] == "-u" || rest[0] == "-I" || rest[0] == "-B" || rest[0] == "-P" || rest[0] == "-E" || rest[0] == "-s") {
			if (rest[0] == "-W" || rest[0] == "-X") && len(rest) > 1 {
				rest = rest[1:]
			}
			rest = rest[1:]
		}
		if len(rest) > 1 && rest[0] == "-m" && rest[1] != "build" && rest[1] != "django" && rest[1] != "pip" {
			return rest[1:]
		}
		return nil
	case "php":
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-d") {
			if rest[0] == "-d" && len(rest) > 1 {
				rest = rest[1:]
			}
			rest = rest[1:]
		}
		if len(rest) > 0 && (strings.Contains(rest[0], "bin/") || strings.HasSuffix(rest[0], ".phar")) {
			return rest
		}
		return nil
	case "ruby":
		return nil
	}
	rest = skipFlags(rest, "-r --require --import --loader --experimental-loader -C --conditions --env-file --max-old-space-size")
	if len(rest) > 0 && strings.Contains(rest[0], "node_modules/") {
		return rest
	}
	return nil
}

func isAssign(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	if !ok || name == "" {
		return false
	}
	for i, c := range name {
		if !(c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// skipFlags drops leading flags (and assignments after env-like wrappers).
func skipFlags(rest []string, valued string) []string {
	takes := strings.Fields(valued)
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "--" {
		n := 1
		for _, t := range takes {
			if rest[0] == t {
				n = 2
			}
		}
		if n > len(rest) {
			return nil
		}
		rest = rest[n:]
	}
	return rest
}

// skipGlobal drops the flags between a manager and its sub command.
func skipGlobal(name string, rest []string) []string {
	switch name {
	case "pnpm", "yarn", "npm", "bun":
		if len(rest) > 1 && (rest[0] == "-w" || rest[0] == "-s" || rest[0] == "--silent" || rest[0] == "--workspace-root") {
			return rest[1:]
		}
		return rest
	}
	return skipFlags(rest, "--directory --project -C --manifest-path")
}

func afterFlag(rest []string, flags ...string) []string {
	for i, r := range rest {
		for _, f := range flags {
			if r == f {
				return rest[i+1:]
			}
		}
	}
	return nil
}

func stripVersion(w string) string {
	if i := strings.LastIndexByte(w, '@'); i > 0 {
		return w[:i]
	}
	return w
}
