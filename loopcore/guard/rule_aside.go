package guard

import (
	"path"
	"strings"

	"fixloop/loopcore"
)

// AsideKind says how something that no snapshot holds differs from the baseline.
type AsideKind string

// The kinds.
const (
	AsideAdded   AsideKind = "added"
	AsideChanged AsideKind = "changed"
	AsideDeleted AsideKind = "deleted"
	AsideSwapped AsideKind = "swapped" // a tracked file, written while the gate ran, its content the same before and after
	AsideFuture  AsideKind = "future"  // built output dated ahead of the clock
	AsideEnv     AsideKind = "env"     // the server was started in another environment than at the baseline
	AsideRecord  AsideKind = "record"  // what was recorded of all this was edited or removed
	AsideTool    AsideKind = "tool"    // a program or setting outside of the work tree
)

// Aside is one such difference. Path is relative to the top, or absolute for
// what lies outside of the work tree.
type Aside struct {
	Path string
	Kind AsideKind
	Data []byte // the content now, where it is text and small; else nil
}

// maxOther is up to which size, in bytes, an ignored file of no known kind may
// be settings or a script.
const maxOther = 64 << 10

// WatchAside says whether an ignored file of that size in bytes is compared
// with the baseline by its content: what the gate runs or reads, not what it
// builds or caches.
func WatchAside(p string, size int64) bool {
	at := asideRole(p)
	return at != asideNothing && (at != asideOther || size <= maxOther)
}

// SkipAside says whether an ignored folder holds caches only.
func SkipAside(dir string) bool {
	switch baseName(dir) {
	case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache", ".vite", ".vite-temp", ".vitest",
		".nyc_output", ".turbo", ".parcel-cache", ".next", ".nuxt", ".svelte-kit", ".angular", ".idea", ".vscode", ".fixloop":
		return true
	}
	return false
}

// GateSide says whether a path is one that a run of the gate has no business
// making and then hiding: code of tests, settings, what tools load by
// themselves. Code is on that side when code is true.
func GateSide(p string, code bool) bool {
	switch roleOf(p) {
	case roleTest, roleSupport:
		return true
	case roleConfig:
		return !isLock(p)
	case roleCode:
		return code || selfLoaded(p)
	}
	return selfLoaded(p)
}

// TestSide says whether a path is code of tests.
func TestSide(p string) bool {
	r := roleOf(p)
	return r == roleTest || r == roleSupport
}

type asidePlace uint8

const (
	asideNothing   asidePlace = iota
	asideInstalled            // a dependency
	asideProgram              // a program of a dependency
	asideLoaded               // what tools load by themselves
	asideTests                // code of tests and their settings
	asideShadow               // compiled code that goes before the source beside it
	asideOther                // anything else; it counts where the gate or the change names it
)

func asideRole(p string) asidePlace {
	if strings.Contains(p, "/.cache/") || hasSeg(p, ".vite", "__pycache__") || isEvidence(p) {
		return asideNothing
	}
	if selfLoaded(p) {
		return asideLoaded
	}
	if isInstalled(p) {
		return installedPlace(p)
	}
	if builtDir(p) {
		switch ext(p) {
		case ".py", ".rb", ".php", ".sh", ".pl", ".lua", ".js", ".cjs", ".mjs":
			return asideOther // run as it stands, where the change goes there for it
		}
		return asideNothing
	}
	switch roleOf(p) {
	case roleTest, roleSupport:
		return asideTests
	case roleConfig:
		if !isLock(p) {
			return asideTests
		}
	}
	switch ext(p) {
	case ".so", ".pyd", ".pyc", ".pyo":
		return asideShadow
	case ".log", ".lock", ".pid", ".sock", ".swp", ".map", ".tsbuildinfo", ".o", ".a", ".class":
		return asideNothing
	}
	return asideOther
}

// installedPlace tells programs, libraries and what installing and building
// write beside them apart.
func installedPlace(p string) asidePlace {
	seg := strings.Split(p, "/")
	if seg[0] == "target" || hasSeg(p, "_build", ".build", ".gradle", ".tox", ".nox", ".prisma") {
		return asideNothing // built by the gate itself
	}
	switch b := baseName(p); {
	case b == ".package-lock.json" || b == ".yarn-state.yml" || b == ".yarn-integrity" || b == ".modules.yaml" || b == "RECORD" || b == "INSTALLER" || b == "REQUESTED" || b == "direct_url.json":
		return asideNothing
	case ext(p) == ".log" || ext(p) == ".lock" || ext(p) == ".tsbuildinfo" || ext(p) == ".map" || ext(p) == ".md":
		return asideNothing
	}
	for k, s := range seg[:len(seg)-1] {
		if s == ".bin" || (s == "bin" || s == "Scripts") && k > 0 && isInstalled(seg[k-1]+"/x") {
			return asideProgram
		}
	}
	return asideInstalled
}

// builtDir says whether a path lies where builds write.
func builtDir(p string) bool {
	for _, s := range segments(p) {
		switch s {
		case "dist", "build", "out", "output", "target", "obj", "coverage", "debug", "release", "tmp", "temp", "logs", "_build", "generated", "gen", "htmlcov":
			return true
		}
		if strings.HasPrefix(s, "cmake-build") || strings.HasPrefix(s, "bazel-") {
			return true
		}
	}
	return false
}

// Generated says whether an ignored path is one of those files in a build folder
// that a generator such as CMake or Meson writes for the builder it calls. Where
// the run itself wrote it anew, its settings are in the tree, and judged there.
func Generated(p string) bool {
	switch baseName(p) {
	case "Makefile", "build.ninja":
		return builtDir(p)
	}
	return builtDir(p) && ext(p) == ".cmake"
}

// selfLoaded names files that a tool reads without being told to.
func selfLoaded(p string) bool {
	switch b := baseName(p); b {
	case "sitecustomize.py", "usercustomize.py", "conftest.py", ".npmrc", ".envrc", ".rspec", ".rspec-local", ".bazelrc", "bunfig.toml",
		"go.env", "go.work", ".mocharc.js", ".mocharc.cjs", ".mocharc.json", ".mocharc.yml", "maven.config", "jvm.config", "GNUmakefile",
		"makefile", "Makefile", "pytest.ini", "tox.ini", ".user.ini", "Directory.Build.props", "Directory.Build.targets":
		return true
	case "config.toml", "config":
		return path.Base(path.Dir(p)) == ".cargo"
	default:
		return ext(p) == ".pth" || strings.Contains(p, "META-INF/services/org.junit") || strings.HasSuffix(b, "_plugin.rb") && hasSeg(p, "minitest")
	}
}

// asideRules judges what the gate runs beside the tree: E01, E02, E03, E06, E09.
func (d *diff) asideRules() {
	for _, a := range d.in.Aside {
		rule, sev, what := d.judgeAside(a)
		if rule != "" {
			d.report(rule, sev, a.Path, 0, what)
		}
	}
}

func (d *diff) judgeAside(a Aside) (rule string, sev loopcore.Severity, what string) {
	switch a.Kind {
	case AsideSwapped:
		return "E09", loopcore.SevHuman, "the file was written while the gate ran, and had its old content again when the run ended"
	case AsideFuture:
		return "E09", loopcore.SevHuman, "built output is dated ahead of the clock, so that no build makes it anew"
	case AsideRecord:
		return "E04", loopcore.SevHuman, "the record of what lay beside the tree at the baseline was edited or removed"
	case AsideEnv:
		return "E06", loopcore.SevHuman, "the server runs with another PATH or home folder than at the baseline, so that other tools may run"
	case AsideTool:
		return "E06", loopcore.SevHuman, "a program or setting outside of the work tree is not the one of the baseline"
	}
	where := asideRole(a.Path)
	switch {
	case where == asideLoaded && a.Kind == AsideDeleted:
		return "E06", loopcore.SevHuman, "an ignored file that tools load by themselves was deleted"
	case where == asideLoaded:
		return "E06", loopcore.SevBlock, "an ignored file that tools load by themselves was " + string(a.Kind)
	case where == asideTests:
		sev := loopcore.SevHuman
		if a.Kind != AsideAdded {
			sev = loopcore.SevBlock
		}
		return "E03", sev, "an ignored file of the tests or their settings was " + string(a.Kind)
	case where == asideShadow && a.Kind != AsideDeleted:
		return "E03", loopcore.SevHuman, "an ignored compiled module was " + string(a.Kind) + ": it goes before the source of its name"
	case where == asideOther && a.Kind != AsideDeleted && d.namesAside(a.Path):
		return "E03", loopcore.SevHuman, "an ignored file that the gate or the change reads was " + string(a.Kind)
	case where != asideInstalled && where != asideProgram:
		return "", "", ""
	case d.manifestChanged(a.Path):
		return "E02", loopcore.SevWarn, "a dependency changed together with its manifest"
	case where == asideProgram && a.Kind == AsideChanged:
		return "E01", loopcore.SevBlock, "an installed program was changed without its manifest; install from the lock file again"
	case a.Kind == AsideChanged:
		return "E02", loopcore.SevBlock, "an installed dependency was changed without its manifest; install from the lock file again"
	}
	return "E02", loopcore.SevHuman, "a file of a dependency was " + string(a.Kind) + " without its manifest"
}

// namesAside says whether the gate's commands, the programs that they call, or
// the new side of a change name an ignored file.
func (d *diff) namesAside(p string) bool {
	name := baseName(p)
	if len(name) < 4 {
		return false
	}
	for _, st := range d.in.Gate.Steps {
		if strings.Contains(st.Command, name) {
			return true
		}
	}
	for _, f := range d.files {
		if f.new == nil || f.role != roleCode && !f.gateSide() {
			continue
		}
		fresh := addedText(string(data(f.old)), string(f.new.Data))
		if strings.Contains(fresh, name) || isCodeExt(p) && loads(fresh, strings.TrimSuffix(name, ext(name))) {
			return true
		}
	}
	if len(d.in.Gate.Steps) == 0 {
		return false
	}
	for program := range d.gatePrograms() {
		if f := d.before(program, program); f != nil && strings.Contains(string(f.Data), name) {
			return true
		}
	}
	return false
}

// loads says whether a line of the text imports the module of that name.
func loads(text, module string) bool {
	for _, l := range strings.Split(text, "\n") {
		if strings.Contains(l, module) && loadRE.MatchString(l) && wordIn(l, module) {
			return true
		}
	}
	return false
}

var loadRE = lazily(`\b(import|from|require|require_relative|include|source|load|import_module|__import__)\b`)

// wordIn says whether a word stands in a line by itself.
func wordIn(line, word string) bool {
	for _, w := range wordRE.FindAllString(line, -1) {
		if w == word {
			return true
		}
	}
	return false
}
