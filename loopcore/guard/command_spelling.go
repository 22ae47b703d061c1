package guard

import (
	"slices"
	"strings"
)

// scriptCallRE calls a script of package.json.
var scriptCallRE = lazily(`\b(npm|pnpm|yarn) (run )?[a-z][\w:.-]*`)

// ofManagers are what package managers do themselves.
var ofManagers = map[string]bool{"install": true, "ci": true, "exec": true, "dlx": true, "add": true, "i": true, "audit": true, "publish": true, "pack": true, "create": true,
	"config": true, "cache": true, "dedupe": true, "outdated": true, "update": true, "workspace": true, "workspaces": true, "link": true, "recursive": true, "node": true, "why": true}

// asNPM writes the calls of scripts in one way, whatever manager is asked: pnpm
// lint, yarn run lint and npm run lint are the same.
func asNPM(commands []string) []string {
	out := make([]string, len(commands))
	for k, c := range commands {
		out[k] = scriptCallRE.ReplaceAllStringFunc(c, func(call string) string {
			ws := strings.Fields(call)
			if name := ws[len(ws)-1]; len(ws) == 3 || !ofManagers[name] && (ws[0] != "npm" || name == "test") && (ws[0] == "npm" || name != "run") {
				return "npm run " + name
			}
			return call
		})
	}
	return out
}

// withDocTests writes `cargo nextest run` with `cargo test --doc` beside it as what
// both are together, where that ran before.
func withDocTests(before, after []string) []string {
	at := slices.IndexFunc(after, func(c string) bool { return strings.Contains(c, "cargo test --doc") })
	if at < 0 || !strings.Contains(strings.Join(after, "\n"), "cargo nextest run") || strings.Contains(strings.Join(before, "\n"), "nextest") {
		return after
	}
	out := slices.Delete(slices.Clone(after), at, at+1)
	for k := range out {
		out[k] = strings.Replace(out[k], "cargo nextest run", "cargo test", 1)
	}
	return out
}
