package stack

import (
	"slices"
	"strings"
)

// sub is one sub command of a tool.
type sub struct {
	kind    string // test, lint, format, typecheck, build, watch, setup, rewrite, audit, part
	reader  string
	check   []string // format: flags without which it rewrites
	fix     []string // flags with which it rewrites
	inherit bool     // run the rest as a command of its own
}

// subPrograms are the tools whose first argument says what they do.
var subPrograms = map[string]map[string]sub{
	"go": {"test": {kind: "test", reader: "gotest"}, "vet": {kind: "lint", reader: "govet"},
		"build": {kind: "build", reader: "gobuild"}, "install": {kind: "setup"}, "fmt": {kind: "rewrite"}, "fix": {kind: "rewrite"},
		"generate": {kind: "rewrite"}, "tool": {inherit: true}, "run": {kind: "setup"}},
	"golangci-lint": {"run": {kind: "lint", reader: "golangci-lint", fix: []string{"--fix"}},
		"fmt": {kind: "format", check: []string{"--diff", "-d"}}, "": {kind: "setup"}},
	"ruff": {"check": {kind: "lint", reader: "ruff", fix: []string{"--fix", "--unsafe-fixes", "--fix-only"}},
		"format": {kind: "format", check: []string{"--check", "--diff"}}, ".": {kind: "lint", reader: "ruff", fix: []string{"--fix"}}},
	"ty":         {"check": {kind: "typecheck"}},
	"pre-commit": {"run": {kind: "lint"}, "": {kind: "setup"}}, "prek": {"run": {kind: "lint"}, "": {kind: "setup"}},
	"biome": {"ci": {kind: "lint", reader: "biome"},
		"check":  {kind: "lint", reader: "biome", fix: []string{"--write", "--apply", "--apply-unsafe", "--fix"}},
		"lint":   {kind: "lint", reader: "biome", fix: []string{"--write", "--apply", "--apply-unsafe", "--fix"}},
		"format": {kind: "format", check: []string{"--check"}}},
	"rome": {"ci": {kind: "lint"}, "check": {kind: "lint", fix: []string{"--apply"}}},
	"deno": {"test": {kind: "test", reader: "deno-test"}, "lint": {kind: "lint", fix: []string{"--fix"}},
		"fmt": {kind: "format", check: []string{"--check"}}, "check": {kind: "typecheck"}, "bench": {kind: "setup"}, "": {kind: "setup"}},
	"bun": {"test": {kind: "test", reader: "bun-test"}, "build": {kind: "build"}, "": {kind: "setup"}},
	"cargo": {"test": {kind: "test", reader: "cargo-test"}, "t": {kind: "test", reader: "cargo-test"},
		"nextest": {kind: "test", reader: "nextest"}, "clippy": {kind: "lint", reader: "clippy", fix: []string{"--fix"}},
		"fmt": {kind: "format", check: []string{"--check"}}, "check": {kind: "typecheck", reader: "rustc"},
		"c": {kind: "typecheck", reader: "rustc"}, "build": {kind: "build", reader: "rustc"}, "b": {kind: "build", reader: "rustc"},
		"watch": {kind: "watch"}, "doc": {kind: "part"}, "rustdoc": {kind: "part"}, "deny": {kind: "audit"}, "audit": {kind: "audit"},
		"machete": {kind: "audit"}, "udeps": {kind: "audit"}, "semver-checks": {kind: "audit"}, "hack": {inherit: true},
		"llvm-cov": {kind: "test-part", reader: "cargo-test"}, "tarpaulin": {kind: "test-part", reader: "cargo-test"},
		"miri": {kind: "test-part", reader: "cargo-test"}, "careful": {kind: "test-part", reader: "cargo-test"}, "bench": {kind: "part"},
		"sort": {kind: "audit"}, "rdme": {kind: "audit"}, "fetch": {kind: "setup"}, "install": {kind: "setup"}, "minimal-versions": {kind: "part"},
		"msrv": {kind: "part"}, "fuzz": {kind: "part"}, "component": {kind: "part"}, "lclippy": {kind: "lint", reader: "clippy"},
		"ltest": {kind: "test", reader: "cargo-test"}, "lbuild": {kind: "build", reader: "rustc"}, "lcheck": {kind: "typecheck", reader: "rustc"},
		"run": {kind: "unknown"}, "make": {kind: "unknown"}, "xtask": {kind: "unknown"}, "insta": {kind: "test", reader: "cargo-test"},
		"all-features": {inherit: true}},
	"cross": {"test": {kind: "test", reader: "cargo-test"}, "build": {kind: "build", reader: "rustc"}, "check": {kind: "typecheck", reader: "rustc"}},
	"mix": {"test": {kind: "test", reader: "exunit"}, "coveralls": {kind: "test", reader: "exunit"},
		"coveralls.json": {kind: "test", reader: "exunit"}, "coveralls.github": {kind: "test-part", reader: "exunit"},
		"coveralls.html": {kind: "test-part", reader: "exunit"}, "test.watch": {kind: "watch"}, "credo": {kind: "lint"},
		"format": {kind: "format", check: []string{"--check-formatted"}}, "dialyzer": {kind: "typecheck"}, "compile": {kind: "build"},
		"sobelow": {kind: "audit"}, "deps.audit": {kind: "audit"}, "hex.audit": {kind: "audit"}, "deps.unlock": {kind: "audit"},
		"doctor": {kind: "audit"}, "docs": {kind: "part"}, "xref": {kind: "audit"}, "": {kind: "setup"}},
	"rebar3": {"eunit": {kind: "test"}, "ct": {kind: "test"}, "proper": {kind: "test-part"}, "check": {kind: "test"},
		"dialyzer": {kind: "typecheck"}, "xref": {kind: "lint"}, "lint": {kind: "lint"}, "fmt": {kind: "format", check: []string{"--check"}},
		"compile": {kind: "build"}},
	"gleam": {"test": {kind: "test"}, "format": {kind: "format", check: []string{"--check"}}, "check": {kind: "typecheck"}, "build": {kind: "build"}},
	"dotnet": {"test": {kind: "test", reader: "dotnet"}, "build": {kind: "build", reader: "dotnet"},
		"format": {kind: "format", check: []string{"--verify-no-changes"}}, "csharpier": {kind: "format", check: []string{"--check", "check"}},
		"watch": {kind: "watch"}, "restore": {kind: "setup"}, "tool": {kind: "setup"}, "pack": {kind: "part"}, "publish": {kind: "part"},
		"run": {kind: "unknown"}, "cake": {kind: "unknown"}, "fantomas": {kind: "format", check: []string{"--check"}}},
	"swift": {"test": {kind: "test"}, "build": {kind: "build"}, "format": {kind: "format", check: []string{"lint"}}, "package": {kind: "setup"}},
	"dart": {"test": {kind: "test"}, "analyze": {kind: "lint"}, "format": {kind: "format", check: []string{"--set-exit-if-changed"}},
		"pub": {kind: "setup"}, "fix": {kind: "rewrite"}},
	"flutter": {"test": {kind: "test"}, "analyze": {kind: "lint"}, "format": {kind: "format", check: []string{"--set-exit-if-changed"}},
		"pub": {kind: "setup"}, "build": {kind: "build"}},
	"bazel": {"test": {kind: "test"}, "build": {kind: "build"}, "coverage": {kind: "test-part"}}, "bazelisk": {"test": {kind: "test"}, "build": {kind: "build"}},
	"meson":   {"test": {kind: "test"}, "compile": {kind: "build", reader: "gcc"}, "setup": {kind: "setup"}},
	"zig":     {"fmt": {kind: "format", check: []string{"--check"}}, "test": {kind: "test"}},
	"stack":   {"test": {kind: "test"}, "build": {kind: "build"}},
	"cabal":   {"test": {kind: "test"}, "build": {kind: "build"}, "v2-test": {kind: "test"}, "v2-build": {kind: "build"}},
	"lein":    {"test": {kind: "test"}, "eastwood": {kind: "lint"}, "kibit": {kind: "lint"}},
	"nimble":  {"test": {kind: "test"}, "build": {kind: "build"}},
	"crystal": {"spec": {kind: "test"}, "tool": {kind: "format", check: []string{"--check"}}, "build": {kind: "build"}},
	"shards":  {"build": {kind: "build"}}, "dune": {"build": {kind: "build"}, "test": {kind: "test"}, "runtest": {kind: "test"}},
	"forge":   {"test": {kind: "test"}, "build": {kind: "build"}, "fmt": {kind: "format", check: []string{"--check"}}},
	"hardhat": {"test": {kind: "test"}, "compile": {kind: "build"}}, "truffle": {"test": {kind: "test"}},
	"buf":       {"lint": {kind: "lint"}, "build": {kind: "build"}, "format": {kind: "format", check: []string{"--exit-code", "-d"}}, "breaking": {kind: "audit"}},
	"terraform": {"fmt": {kind: "format", check: []string{"-check", "--check"}}, "validate": {kind: "typecheck"}, "test": {kind: "test"}},
	"tofu":      {"fmt": {kind: "format", check: []string{"-check"}}, "validate": {kind: "typecheck"}},
	"helm":      {"lint": {kind: "lint"}, "unittest": {kind: "test"}}, "molecule": {"test": {kind: "test-part"}},
	"nix":       {"flake": {kind: "unknown"}, "build": {kind: "build"}, "fmt": {kind: "rewrite"}},
	"wasm-pack": {"test": {kind: "test-part"}, "build": {kind: "part"}}, "maturin": {"develop": {kind: "build"}, "build": {kind: "build"}},
	"vite":   {"build": {kind: "build"}, "": {kind: "watch"}},
	"next":   {"build": {kind: "build"}, "lint": {kind: "lint", reader: "eslint", fix: []string{"--fix"}}, "": {kind: "watch"}},
	"nuxt":   {"build": {kind: "build"}, "generate": {kind: "build"}, "typecheck": {kind: "typecheck"}, "": {kind: "watch"}},
	"nuxi":   {"build": {kind: "build"}, "typecheck": {kind: "typecheck"}},
	"astro":  {"build": {kind: "build"}, "check": {kind: "typecheck"}, "": {kind: "watch"}},
	"gatsby": {"build": {kind: "build"}, "": {kind: "watch"}}, "remix": {"build": {kind: "build"}, "vite:build": {kind: "build"}},
	"react-router": {"build": {kind: "build"}}, "nest": {"build": {kind: "build"}, "": {kind: "watch"}},
	"ng":         {"build": {kind: "build"}, "lint": {kind: "lint", reader: "eslint", fix: []string{"--fix"}}, "": {kind: "watch"}},
	"svelte-kit": {"sync": {kind: "setup"}}, "svelte-package": {"": {kind: "build"}},
	"vue-cli-service":          {"build": {kind: "build"}, "lint": {kind: "lint", reader: "eslint"}, "test:unit": {kind: "test", reader: "jest"}, "": {kind: "watch"}},
	"react-native-builder-bob": {"build": {kind: "build"}}, "vuepress": {"build": {kind: "build"}},
	"vitepress": {"build": {kind: "part"}, "": {kind: "watch"}}, "docusaurus": {"build": {kind: "build"}, "": {kind: "watch"}},
	"eleventy": {"": {kind: "build"}}, "storybook": {"build": {kind: "part"}, "": {kind: "watch"}},
	"tsdx": {"build": {kind: "build"}, "lint": {kind: "lint", reader: "eslint", fix: []string{"--fix"}},
		"test": {kind: "test", reader: "jest"}, "watch": {kind: "watch"}},
	"dts": {"build": {kind: "build"}, "lint": {kind: "lint"}, "test": {kind: "test", reader: "jest"}},
	"aegir": {"build": {kind: "build"}, "lint": {kind: "lint", reader: "eslint"}, "test": {kind: "test", reader: "mocha"},
		"dep-check": {kind: "audit"}, "clean": {kind: "setup"}},
	"oclif": {"": {kind: "part"}}, "electron-vite": {"build": {kind: "build"}},
	"wp-scripts": {"build": {kind: "build"}, "lint-js": {kind: "lint", reader: "eslint", fix: []string{"--fix"}},
		"lint-style": {kind: "audit"}, "test-unit-js": {kind: "test", reader: "jest"}},
	"backstage-cli": {"lint": {kind: "lint"}, "test": {kind: "test"}}, "umi": {"build": {kind: "build"}}, "dumi": {"build": {kind: "part"}},
	"hexo": {"generate": {kind: "build"}}, "nitropack": {"build": {kind: "build"}}, "vinxi": {"build": {kind: "build"}},
	"wrangler": {"types": {kind: "setup"}}, "plasmo": {"build": {kind: "build"}},
	"wxt": {"build": {kind: "build"}, "prepare": {kind: "setup"}}, "expo": {"lint": {kind: "lint", reader: "eslint"}, "": {kind: "watch"}},
	"ember": {"test": {kind: "test"}, "build": {kind: "build"}, "": {kind: "watch"}}, "ladle": {"": {kind: "part"}},
	"size-limit": {"": {kind: "audit"}}, "typedoc": {"": {kind: "part"}}, "changeset": {"": {kind: "part"}},
	"license-checker": {"": {kind: "audit"}}, "vsce": {"": {kind: "part"}}, "api-extractor": {"": {kind: "part"}},
	"lint-staged": {"": {kind: "part"}}, "pretty-quick": {"": {kind: "format", check: []string{"--check"}}},
	"unimport": {"": {kind: "rewrite"}}, "cdk": {"synth": {kind: "build"}}, "vscode-test": {"": {kind: "test", reader: "mocha"}},
	"poetry": {"check": {kind: "audit"}, "build": {kind: "build"}, "": {kind: "setup"}}, "uv": {"build": {kind: "build"}, "": {kind: "setup"}},
	"pdm":   {"build": {kind: "build"}, "": {kind: "setup"}},
	"hatch": {"test": {kind: "test", reader: "pytest"}, "fmt": {kind: "lint", reader: "ruff"}, "build": {kind: "build"}, "": {kind: "setup"}},
	"flit":  {"build": {kind: "build"}, "": {kind: "setup"}}, "build": {"": {kind: "build"}}, "coverage": {"": {kind: "setup"}},
	"maturin-wrapper": {}, "tox": {"": {kind: "test", reader: "pytest"}}, "nox": {"": {kind: "test", reader: "pytest"}},
	"jupyter": {"": {kind: "part"}}, "sphinx-build": {"": {kind: "part"}}, "mkdocs": {"build": {kind: "part"}, "": {kind: "watch"}},
	"compileall": {"": {kind: "audit"}}, "doctest": {"": {kind: "test-part", reader: "pytest"}}, "pip-audit": {"": {kind: "audit"}},
	"safety": {"": {kind: "audit"}}, "maturin_": {},
	"npm":      {"audit": {kind: "audit"}, "pack": {kind: "part"}, "": {kind: "setup"}},
	"composer": {"validate": {kind: "audit"}, "audit": {kind: "audit"}, "": {kind: "setup"}},
	"bundle":   {"audit": {kind: "audit"}, "": {kind: "setup"}}, "docker": {"": {kind: "unknown"}}, "docker-compose": {"": {kind: "unknown"}},
}

// classifySub fills v from the line of the table for the first argument.
func classifySub(v verdict, subs map[string]sub, args []string) verdict {
	v.known = true
	rest := args
	for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || strings.HasPrefix(rest[0], "+")) {
		if rest[0] == "-v" && v.tool == "bundle" || rest[0] == "--version" || rest[0] == "--help" {
			return v
		}
		rest = rest[1:]
	}
	s, ok := sub{}, false
	if len(rest) > 0 {
		s, ok = subs[rest[0]]
	}
	if !ok {
		if s, ok = subs[""]; !ok {
			v.known = len(subs) > 0 && v.tool != "nox" && v.tool != "tox"
			return v
		}
	}
	if s.inherit && len(rest) > 1 {
		inner := skipFlags(rest[1:], "--features --exclude-features --group-features --partition --depth")
		if v.tool == "cargo" {
			inner = append([]string{"cargo"}, inner...)
		}
		return classify(inner)
	}
	v.reader = s.reader
	checked := hasFlag(args, s.check...)
	switch s.kind {
	case "test":
		v.kind = kTest
	case "test-part":
		v.kind, v.partial = kTest, true
	case "lint":
		v.kind = kLint
	case "format":
		v.kind, v.format, v.mutates = kLint, true, !checked
	case "typecheck":
		v.kind = kType
	case "build":
		v.kind = kBuild
	case "audit":
		v.kind, v.partial = kLint, true
	case "watch":
		v.watches = true
	case "rewrite":
		v.mutates = true
	case "unknown":
		v.known = false
	}
	v.mutates = v.mutates || len(s.fix) > 0 && hasFlag(args, s.fix...)
	refine(&v)
	return v
}

// refine reads the flags that turn a known command into a watcher, a part, or
// something that is no check.
func refine(v *verdict) {
	a := v.args
	switch {
	case v.tool == "vitest":
		refineVitest(v)
	case hasFlag(a, "--watch=false", "--no-watch", "--watchAll=false"):
		// jest --watch --watchAll=false exits 0 with failing tests (measured): a
		// command that names both is never built here, nor trusted.
		v.watches = hasFlag(a, "--watch") && hasFlag(a, "--watchAll=false") && !hasFlag(a, "--watch=false", "--no-watch")
	case hasFlag(a, "--watch", "--watchAll", "--ui", "--open", "watch", "open", "--serve") || hasFlag(a,
		"-w") && slices.Contains([]string{"tsc", "mocha", "_mocha", "rollup", "webpack", "ava", "tsgo", "babel", "esbuild", "tsup", "vue-tsc"}, v.tool):
		v.watches = !strings.HasSuffix(v.tool, "cypress") || hasFlag(a, "open")
	}
	refineTool(v)
	if v.kind == kTest && hasFlag(a, "--no-run", "--listTests", "--list", "--list-tests", "--collect-only") {
		v.kind = kBuild
		v.partial = true
	}
}

// refineTool reads the flags of single tools.
func refineTool(v *verdict) {
	a := v.args
	switch v.tool {
	case "tsc", "tsgo", "vue-tsc":
		if hasFlag(a, "--clean") {
			v.kind = ""
		}
	case "karma":
		v.watches = hasFlag(a, "--no-single-run", "--auto-watch") && !hasFlag(a, "--single-run")
	case "srb":
		v.kind = kType
		if len(a) > 0 && a[0] != "tc" {
			v.kind = ""
		}
	case "playwright", "cypress":
		if len(a) > 0 && (a[0] == "install" || a[0] == "install-deps" || a[0] == "verify" || a[0] == "show-report" || a[0] == "codegen" || a[0] == "merge-reports") {
			v.kind = ""
		}
	case "go":
		refineGo(v)
	case "pytest", "py.test":
		v.partial = hasFlag(a, "--collect-only", "-k", "--benchmark-only", "--lf", "-m", "--deselect-from-file", "--nbval") || anyContains(a, "::")
	case "mypy", "pyright":
		v.partial = hasFlag(a, "--install-types") && !hasFlag(a, "--non-interactive")
	case "phpunit", "pest", "paratest", "simple-phpunit":
		for _, x := range a {
			v.partial = v.partial || !strings.HasPrefix(x, "-") && strings.Count(strings.Trim(x, "/"), "/") > 0 && !strings.HasPrefix(x, "$")
		}
		if hasFlag(a, "--warm-coverage-cache", "--generate-configuration", "--migrate-configuration", "--check-version", "--check-php-configuration") {
			v.kind = ""
		}
	case "swift", "dotnet":
		v.partial = v.partial || v.kind == kTest && hasFlag(a, "--filter")
	case "twine":
		if len(a) == 0 || a[0] != "check" {
			v.kind = ""
		}
	case "cargo", "cross":
		refineCargo(v)
	case "mix":
		v.partial = v.partial || hasFlag(a, "--only", "--stale", "--failed") || hasFlag(a, "deps.unlock")
	case "poetry", "uv", "pdm", "hatch", "flit", "build":
		v.partial = v.partial || v.kind == kBuild // builds a package for release: a step only where nothing else builds
	case "pre-commit", "prek":
		v.partial = hasFlag(a, "--hook-stage") && !hasFlag(a, "--all-files", "-a")
	case "storybook", "jest", "mocha":
		v.partial = v.partial || hasFlag(a, "-t", "--testNamePattern", "-g", "--grep", "--onlyChanged", "-o")
	case "nox", "tox":
		v.partial = hasFlag(a, "-f", "--noxfile", "-c")
	case "dart", "flutter":
		v.partial = v.kind == kTest && hasFlag(a, "-p", "--platform", "-d")
	case "swift-format":
		v.mutates = !hasFlag(a, "lint")
	}
}

func refineVitest(v *verdict) {
	a := v.args
	first := ""
	for _, x := range a {
		if !strings.HasPrefix(x, "-") {
			first = x
			break
		}
	}
	once := hasFlag(a, "--run", "--no-watch", "--watch=false") || first == "run" || first == "bench" || first == "list" || first == "related"
	v.watches = !once
	v.once = "--run"
	v.partial = first == "bench" || first == "list" || hasFlag(a, "-t", "--testNamePattern", "--changed")
	if hasFlag(a, "--ui", "--open") {
		v.watches, v.once = true, ""
	}
	if first == "typecheck" || hasFlag(a, "--typecheck.only") {
		v.kind = kType
	}
}

func refineGo(v *verdict) {
	a := v.args
	if v.kind != kTest {
		return
	}
	run := ""
	for i, x := range a {
		switch {
		case (x == "-run" || x == "--run" || x == "-test.run") && i+1 < len(a):
			run = a[i+1]
		case strings.HasPrefix(x, "-run="), strings.HasPrefix(x, "--run="):
			_, run, _ = strings.Cut(x, "=")
		}
	}
	v.partial = run != "" && run != "." && run != ".*" || hasFlag(a, "-fuzz", "-c", "-bench", "-list") && run != "." || !anyContains(a, "...") && len(a) > 1
}

func refineCargo(v *verdict) {
	a := v.args
	switch {
	case v.kind == kLint && v.format && !hasFlag(a, "--check"):
		v.mutates = true
	case hasFlag(a, "--no-run"):
		v.kind, v.partial = kBuild, true
	case hasFlag(a, "--doc", "--benches", "--bench", "--example", "--test", "--target"):
		v.partial = true
	case hasFlag(a, "-p", "--package", "-Z"):
		v.partial = true
	}
	for i, x := range a {
		if x == "--manifest-path" && i+1 < len(a) && a[i+1] != "Cargo.toml" && a[i+1] != "./Cargo.toml" {
			v.partial = true
		}
	}
	if len(a) > 1 && (a[0] == "miri" || a[0] == "llvm-cov" || a[0] == "careful") && (a[1] == "setup" || a[1] == "clean" || a[1] == "report" || a[1] == "show-env") {
		v.kind = ""
	}
	if a[0] == "nextest" && (len(a) < 2 || a[1] != "run" && a[1] != "r") {
		v.kind = ""
	}
}

func anyContains(a []string, s string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return strings.Contains(x, s) })
}
