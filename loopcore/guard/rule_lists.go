package guard

import (
	"slices"
	"strings"

	"fixloop/loopcore"
)

// groupOf says whether a retry holds only for named tests.
func groupOf(f *fileDiff, key string) bool {
	i := strings.LastIndex(key, ".")
	if i < 0 {
		return false
	}
	s, ok := readSettings(f.path(), f.new.Data)
	if !ok {
		return false
	}
	for k := range s {
		if strings.HasPrefix(k, key[:i]+".filter") || strings.HasPrefix(k, key[:i]) && strings.Contains(k, "include") {
			return true
		}
	}
	return strings.Contains(key, "overrides")
}

// grown judges a list of exceptions.
func (c keyChange) grown() loopcore.Severity {
	x, y := unspread(splitValues(c.a)), unspread(splitValues(c.b))
	whole := hasAny(c.key, "per-file-ignores", "per_file_ignores") || c.r.rule == "C01" || c.r.rule == "C05"
	if whole && len(c.a) == 1 && len(c.b) == 1 {
		x, y = splitValues(c.a), splitValues(c.b)
	} else if whole {
		x, y = c.a, c.b
	}
	news := minus(y, x)
	if len(news) == 0 || len(news) == 1 && (news[0] == "" || news[0] == "[]" || strings.HasPrefix(news[0], "$(")) {
		return silent
	}
	if narrower(news, minus(x, y)) || !c.d.inLoop() && sameEnds(news, minus(x, y)) {
		return silent
	}
	harmless := !slices.ContainsFunc(news, func(v string) bool { return !generatedPath(v) })
	if harmless || strings.Contains(c.key, "per-file") && generatedPath(c.key) {
		if allDefault(news) {
			return silent
		}
		return loopcore.SevHuman
	}
	sev := c.d.newFile(c.f, c.r.sev)
	if sev == loopcore.SevBlock && !c.d.inLoop() && len(c.a) > 1 && len(minus(x, y)) >= len(news) {
		return loopcore.SevHuman // as many went: a rule got another name
	}
	if sev == loopcore.SevBlock && !c.d.inLoop() && c.d.growsAlong(c.f, c.r, c.key, c.a, news) {
		return loopcore.SevHuman
	}
	return sev
}

// growsAlong says whether a list of exceptions grew with something that explains
// it: a new version of the tool, a check that was switched on in the same
// change, or a test that got a task of its own.
func (d *diff) growsAlong(f *fileDiff, r keyRule, key string, old, news []string) bool {
	if r.rule == "C03" && (d.upgraded() || strings.Contains(key, "per-file-ignores") && hasAny(string(data(f.old)), "per-file-ignores") && besideCode(key+strings.Join(news, " "))) {
		return true
	}
	if r.rule == "C05" && strings.Contains(key, "exclude") && sameWords(news, minus(old, news)) {
		return true
	}
	before, _ := readSettings(f.path(), data(f.old))
	after, _ := readSettings(f.path(), data(f.new))
	on := map[string]bool{}
	for k, vs := range after {
		if hasAny(strings.ToLower(k[strings.LastIndexByte(k, '.')+1:]), "enable", "select", "include", "plugins") {
			for _, v := range minus(splitValues(vs), splitValues(before[k])) {
				on[v] = true
			}
		}
	}
	for _, o := range d.files { // moved from one file to another
		if o != f && o.role == roleConfig && o.old != nil {
			for _, v := range news {
				if v != "" && strings.Contains(string(o.old.Data), v) && (o.new == nil || !strings.Contains(string(o.new.Data), v)) {
					on[v] = true
				}
			}
		}
	}
	for _, v := range news {
		if !on[v] && !contains(old, v) && !(strings.HasSuffix(key, ".path") && len(on) > 0) {
			return false
		}
	}
	return true
}

// besideCode says whether a pattern names files that are not what the project ships.
func besideCode(pattern string) bool {
	return generatedPath(pattern) || hasAny(strings.ToLower(pattern), "test", "example", "docs/", "script", "tools/", "__init__", "conftest", "bench", "setup.py", "noxfile", "tasks.py")
}

// sameWords says whether each new pattern is an old one with fewer words.
func sameWords(news, gone []string) bool {
	for _, n := range news {
		ok := false
		for _, g := range gone {
			all := true
			eachWord(n, func(w string) { all = all && strings.Contains(g, w) })
			ok = ok || all
		}
		if !ok {
			return false
		}
	}
	return true
}

// narrower says whether every new entry replaces a wider one: src/** → src/gen/**.
// sameEnds says whether each new path took the place of one that ends in the same
// way below a folder of another name.
func sameEnds(news, gone []string) bool {
	if len(news) != len(gone) {
		return false
	}
	end := func(p string) string {
		part := strings.FieldsFunc(p, func(r rune) bool { return r == '/' || r == '\\' })
		if n := len(part); n > 1 && !strings.Contains(part[n-1], "*") {
			return part[n-1]
		}
		if len(part) < 3 {
			return p
		}
		return strings.Join(part[len(part)-2:], "/")
	}
	for k := range news {
		if end(news[k]) != end(gone[k]) || news[k] == gone[k] {
			return false
		}
	}
	return true
}

func narrower(news, gone []string) bool {
	if len(gone) < len(news) || len(gone) == 0 {
		return false
	}
	for _, n := range news {
		ok := false
		for _, g := range gone {
			if strings.HasPrefix(n, strings.TrimRight(g, "*/")) || len(n) > 6 && strings.HasSuffix(g, n) && !strings.Contains(n, "*") {
				ok = true
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func generatedPath(v string) bool {
	l := strings.ToLower(v)
	return hasAny(l, "gen/", "generated", "/gen", "_pb2", ".pb.", "dist", "build", "node_modules", "vendor", "coverage", "migrations", "__generated__", ".d.ts", "third_party", "target/", ".venv", "/tmp", "bundle", "out/", ".next", "storybook", "protos", "autogen", ".g.") && !hasAny(l, "test", "spec")
}

func allDefault(vs []string) bool {
	for _, v := range vs {
		if !hasAny(v, "node_modules", "dist", "build", "coverage", ".venv", "vendor/bundle", "target/", "out/", ".next") || hasAny(v, "src") {
			return false
		}
	}
	return true
}

// sampleRE are the parts of a glob for which any name may stand.
var sampleRE = lazily(`\*\*|\*`)

// widened says whether entries that went are covered by one that stays: tests/a → tests.
func (d *diff) widened(gone, now []string) bool {
	for _, g := range gone {
		ok := false
		for _, n := range now {
			base := strings.TrimRight(n, "*/.")
			if strings.ReplaceAll(n, "**/", "") == g || matchAny([]string{n}, sampleRE.ReplaceAllString(g, "x")) {
				ok = true
			}
			if n == "." || n == "./" || n == "ALL" || n == "all" || n == "**" || base != g && len(base) > 0 && !strings.ContainsAny(base, "*!") && strings.HasPrefix(g, base) {
				ok = true
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func shrinksWhenGone(key string) bool {
	return hasAny(strings.ToLower(key), "select", "enable", "opt_in", "collectcoveragefrom", "compilerargs", "warningsaserrors", "strict", "extends", "plugins", "testsuite")
}

func narrowsWhenNew(key string) bool {
	return hasAny(strings.ToLower(key), "testmatch", "testregex", "only_rules", "default-members", "collectcoveragefrom", "python_files", "python_functions", "python_classes", "roots")
}

// movedKey says whether the same key stands in another changed file now.
func (d *diff) movedKey(f *fileDiff, key string) bool {
	short := key[strings.LastIndex(key, ".")+1:]
	for _, o := range d.files {
		if o != f && o.new != nil && o.role == roleConfig && strings.Contains(addedText(string(data(o.old)), string(o.new.Data)), short) {
			return true
		}
	}
	return false
}
