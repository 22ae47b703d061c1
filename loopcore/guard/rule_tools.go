package guard

import (
	"fmt"
	"strings"

	"fixloop/loopcore"
)

// localSourceRE takes a dependency from a folder or a repository.
var localSourceRE = lazily(`\bpath\s*[:=]|@ ?file:|git\s*[:=]|github:|ProjectReference|\.\./|"\./`)

// localFeedRE is a feed of packages in a folder.
var localFeedRE = lazily(`<add key="[^"]*" value="\.?[./\\]`)

// toolSources reports test and lint tools that a manifest takes from elsewhere,
// sets back, or drops: C12.
func (d *diff) toolSources(f *fileDiff) {
	if f.old == nil || f.new == nil {
		return
	}
	switch b := baseName(f.path()); {
	case strings.HasPrefix(b, "requirements") && ext(b) == ".txt", b == "Gemfile", b == "mix.exs", b == "Cargo.toml", b == "Pipfile", hasSuffixAny(b, ".csproj", ".fsproj", "Packages.props"), strings.EqualFold(b, "nuget.config"), strings.HasSuffix(b, ".gemspec"), b == "pubspec.yaml", b == "Podfile":
	default:
		return
	}
	came, went := addedText(string(f.old.Data), string(f.new.Data)), addedText(string(f.new.Data), string(f.old.Data))
	tool := func(l string) string {
		m := testToolRE.FindStringSubmatch(strings.ToLower(strings.NewReplacer(" ", "/", "{", "/", "=", "/").Replace(l)))
		if m == nil {
			return ""
		}
		return m[2]
	}
	fresh := map[string]string{}
	section := ""
	for _, l := range strings.Split(came, "\n") {
		if strings.HasPrefix(l, "[patch") {
			section = "patch"
		}
		if t := tool(l); t != "" {
			fresh[t] = l
			if localSourceRE.MatchString(l) || section != "" {
				d.report("C12", loopcore.SevBlock, f.path(), lineOf(string(f.new.Data), l), "a test tool comes from elsewhere: "+clip(l, 100))
			}
		}
		if strings.EqualFold(baseName(f.path()), "nuget.config") && localFeedRE.MatchString(l) {
			d.report("C12", loopcore.SevHuman, f.path(), lineOf(string(f.new.Data), l), "packages come from a folder: "+clip(l, 100))
		}
	}
	for _, l := range strings.Split(went, "\n") {
		t := tool(l)
		if t == "" {
			continue
		}
		now, kept := fresh[t]
		switch {
		case !kept && !strings.Contains(strings.ToLower(string(f.new.Data)), t):
			d.report("C12", loopcore.SevHuman, f.path(), 0, "a test tool was dropped: "+clip(l, 100))
		case kept && older(afterName(l, t), afterName(now, t)):
			d.report("C12", loopcore.SevHuman, f.path(), lineOf(string(f.new.Data), now), fmt.Sprintf("%s went back: %s → %s", t, clip(l, 60), clip(now, 60)))
		}
	}
}

// afterName cuts a line behind the name of a tool, where its version stands.
func afterName(l, name string) string {
	_, rest, _ := strings.Cut(strings.ToLower(l), name)
	return rest
}

// staleRules reports compiled and cached files that came with the change: what
// runs may not be what stands in the tree. E09.
func (d *diff) staleRules() {
	if d.inLoop() {
		return // there the runs themselves write such files, and their times are watched
	}
	for _, f := range d.files {
		if f.new == nil || f.old != nil && f.role == roleSnapshot {
			continue
		}
		p := f.path()
		if staleRE.MatchString("/"+p) && !(f.old != nil && f.old.Path != p) {
			d.report("E09", loopcore.SevHuman, p, 0, "a compiled or cached file came with the change")
		}
	}
}

// staleRE matches what compilers, runners and linters write and read again.
var staleRE = lazily(`\.(pyc|pyo|class|beam|tsbuildinfo|so|dylib|dll|o|obj|a|rlib)$|/(\.eslintcache|\.stylelintcache|\.phpunit\.result\.cache)$|/(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|node_modules/\.cache|\.jest-cache|\.nyc_output|target/(classes|test-classes)|obj/(Debug|Release)|bin/(Debug|Release)|_build)/`)

// taskExisted says whether the old file already had the task in which a key stands.
func taskExisted(f *fileDiff, key string) bool {
	before, ok := readSettings(f.path(), data(f.old))
	parts := strings.Split(key, ".")
	if !ok || len(parts) < 2 {
		return false
	}
	for k := range before {
		if strings.HasPrefix(k, strings.Join(parts[:2], ".")+".") {
			return true
		}
	}
	return false
}
