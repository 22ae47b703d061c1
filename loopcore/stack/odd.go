package stack

import (
	"path"
	"strings"
)

// oddPrograms need more than a word to be told: build tools with goals, test
// runners inside frameworks, watchers around other commands.
var oddPrograms = map[string]func(name string, args []string) verdict{
	"mvn": classifyMaven, "mvnw": classifyMaven, "gradle": classifyGradle, "gradlew": classifyGradle, "sbt": classifySbt,
	"cmake": classifyCMake, "python": classifyPython, "node": classifyNode, "react-scripts": classifyCRA, "kcd-scripts": classifyKcd, "craco": classifyCRA,
	"rails": classifyRails, "artisan": classifyArtisan, "php": classifyPHP, "nodemon": watcher, "chokidar": watcher, "onchange": watcher,
	"entr": watcher, "watchexec": watcher, "ptw": watcher, "pytest-watch": watcher,
	"guard": watcher, "phpunit-watcher": watcher, "watchman": watcher, "tsc-watch": watcher, "tsx": classifyNode, "ts-node": classifyNode,
	"air": watcher, "reflex": watcher, "gow": watcher, "live-server": watcher, "http-server": watcher, "serve": watcher,
	"make": classifyTargets, "gmake": classifyTargets, "rake": classifyTargets, "xcodebuild": classifyXcode, "clojure": classifyClojure,
	"clj": classifyClojure, "julia": classifyJulia, "Rscript": classifyR, "R": classifyR, "perl": classifyPerl, "ngx": watcher,
}

func watcher(string, []string) verdict { return verdict{known: true, watches: true} }

func goals(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if strings.HasPrefix(a, "-") {
			switch a {
			case "-P", "-f", "--file", "-pl", "--projects", "-s", "--settings", "-T", "-p", "--project-dir", "-I", "--init-script", "-c", "-x", "--exclude-task":
				i++
			}
			continue
		}
		out = append(out, a)
	}
	return out
}

func classifyMaven(_ string, args []string) verdict {
	v := verdict{known: true, reader: "maven-surefire"}
	skips := anyPrefix(args, "-DskipTests", "-Dmaven.test.skip", "-DskipTests=true", "-Pfast")
	for _, g := range goals(args) {
		switch {
		case g == "test" || g == "verify" || g == "integration-test" || g == "package" || g == "install" || g == "surefire:test" || g == "failsafe:verify":
			v.kind = kTest
			if skips {
				v.kind = kBuild
			}
		case g == "compile" || g == "test-compile":
			v.kind = kBuild
		case strings.Contains(g, "checkstyle") || strings.Contains(g, "spotbugs") || strings.Contains(g, "pmd:") ||
			strings.Contains(g, "spotless:check") || strings.Contains(g, "fmt:check") || strings.Contains(g, "formatter:validate") ||
			strings.Contains(g, "ktlint") || strings.Contains(g, "license:check") || strings.Contains(g, "apache-rat") || strings.Contains(g, "enforcer"):
			v.kind, v.reader = kLint, "checkstyle"
			v.format = strings.Contains(g, "spotless") || strings.Contains(g, "fmt:")
		case strings.Contains(g, "spotless:apply") || strings.HasPrefix(g, "versions:") || strings.HasPrefix(g, "fmt:format"):
			v.mutates = true
		case g == "deploy" || strings.HasPrefix(g, "release:") || strings.Contains(g, "gpg:") || strings.Contains(g, "nexus") || g == "jib:build":
			v.danger = "maven goal " + g + " publishes"
		}
	}
	return v
}

func classifyGradle(_ string, args []string) verdict {
	v := verdict{known: true, reader: "gradle"}
	skipsTests := false
	for i, a := range args {
		if (a == "-x" || a == "--exclude-task") && i+1 < len(args) && strings.Contains(strings.ToLower(args[i+1]), "test") {
			skipsTests = true
		}
		if a == "--continuous" || a == "-t" {
			v.watches = true
		}
	}
	skip := false
	for _, g := range goals(args) {
		if skip {
			skip = false
			continue
		}
		t := g[strings.LastIndexByte(g, ':')+1:]
		low := strings.ToLower(t)
		switch {
		case strings.Contains(low, "publish") || strings.Contains(low, "deploy") || strings.HasPrefix(low, "release") || low == "uploadarchives" ||
			strings.Contains(low, "closeandrelease"):
			v.danger = "gradle task " + t + " publishes"
		case t == "clean" || t == "tasks" || t == "dependencies" || t == "properties" || t == "help" || t == "wrapper":
		case low == "check" || low == "test" || strings.HasSuffix(t, "Test") || strings.HasSuffix(t, "Tests") || strings.HasSuffix(low, "unittest") ||
			low == "alltests" || low == "build" && !skipsTests || strings.HasPrefix(low, "test") && !strings.HasPrefix(low, "testclasses"):
			v.kind = kTest
			v.partial = strings.Contains(g, ":") && !strings.HasPrefix(g, ":") || strings.Contains(low, "integration") || strings.Contains(low, "connected")
		case strings.HasSuffix(low, "apply") || strings.HasSuffix(low, "format") || low == "updatelegacyabi":
			v.mutates = true
		case v.kind == kTest:
		case strings.Contains(low, "lint") || low == "detekt" || strings.HasPrefix(low, "spotless") || strings.HasPrefix(low, "checkstyle") ||
			strings.HasPrefix(low, "pmd") || strings.HasPrefix(low, "spotbugs") || low == "apicheck" || low == "checklegacyabi":
			v.kind = kLint
			v.format, v.partial = strings.HasPrefix(low, "spotless"), strings.HasPrefix(low, "api") || low == "checklegacyabi"
		case strings.HasPrefix(low, "assemble") || low == "build" || strings.HasPrefix(low, "compile") || low == "classes" || low == "testclasses" ||
			strings.HasSuffix(low, "jar") || low == "installdist" || strings.HasPrefix(low, "bundle"):
			v.kind = kBuild
		}
	}
	return v
}

func classifySbt(_ string, args []string) verdict {
	v := verdict{known: true}
	for _, a := range args {
		low := strings.ToLower(a)
		switch {
		case strings.Contains(low, "publish") || strings.Contains(low, "release"):
			v.danger = "sbt publishes"
		case strings.HasSuffix(low, "test") || strings.Contains(low, "test;"):
			v.kind = kTest
		case v.kind == "" && (strings.Contains(low, "fmtcheck") || strings.Contains(low, "scalafix") || strings.Contains(low, "mimareport") ||
			strings.Contains(low, "headercheck")):
			v.kind, v.format = kLint, true
			v.partial = strings.Contains(low, "mima") || strings.Contains(low, "header")
		case v.kind == "" && strings.Contains(low, "compile"):
			v.kind = kBuild
		}
	}
	return v
}

func classifyCMake(_ string, args []string) verdict {
	v := verdict{known: true, reader: "gcc"}
	switch {
	case hasFlag(args, "--install", "-E", "--version", "-P"):
	case hasFlag(args, "--workflow"):
		v.kind = kTest
	case hasFlag(args, "--build"):
		v.kind = kBuild
		for i, a := range args {
			if (a == "--target" || a == "-t") && i+1 < len(args) {
				switch t := args[i+1]; {
				case t == "test" || t == "check" || t == "RUN_TESTS":
					v.kind, v.reader = kTest, "ctest"
				case t == "install" || t == "package" || t == "clean" || t == "doc" || t == "docs":
					v.kind = ""
				case strings.Contains(t, "format") || strings.Contains(t, "tidy"):
					v.kind = kLint
				case t != "all" && t != "ALL_BUILD":
					v.partial = true
				}
			}
		}
	}
	return v
}

func classifyPython(_ string, args []string) verdict {
	v := verdict{known: true}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-m" && args[0] != "-c" {
		if (args[0] == "-W" || args[0] == "-X") && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return v
	}
	base := path.Base(args[0])
	switch {
	case args[0] == "-c":
	case args[0] == "-m" && len(args) > 1:
		switch args[1] {
		case "build":
			v.kind, v.partial = kBuild, true
		case "django":
			if len(args) > 2 && args[2] == "test" {
				v.kind, v.reader = kTest, "unittest"
			}
		}
	case base == "manage.py":
		switch {
		case len(args) > 1 && args[1] == "test":
			v.kind, v.reader = kTest, "unittest"
		case len(args) > 1 && args[1] == "check":
			v.kind, v.partial = kLint, true
		case len(args) > 1 && args[1] == "makemigrations" && hasFlag(args, "--check"):
			v.kind, v.partial = kLint, true
		case len(args) > 1 && (args[1] == "flush" || args[1] == "reset_db" || args[1] == "sqlflush"):
			v.danger = "manage.py " + args[1] + " empties the database"
		}
	case base == "setup.py":
		switch {
		case hasFlag(args, "upload", "register"):
			v.danger = "setup.py uploads"
		case hasFlag(args, "test", "pytest", "nosetests"):
			v.kind, v.reader = kTest, "unittest"
		case hasFlag(args, "build", "build_ext", "sdist", "bdist_wheel", "develop"):
			v.kind, v.partial = kBuild, true
		}
	case strings.HasSuffix(base, ".py") && (strings.Contains(base, "test") && !strings.Contains(base, "latest")):
		v.kind, v.reader = kTest, "unittest"
	default:
		v.known = false
	}
	return v
}

func classifyNode(name string, args []string) verdict {
	v := verdict{known: true}
	if hasFlag(args, "--test") || hasFlag(args, "--experimental-test-coverage") {
		v.kind, v.reader = kTest, "node-test"
		v.watches = hasFlag(args, "--watch")
		v.partial = hasFlag(args, "--test-name-pattern", "--test-only")
		return v
	}
	if hasFlag(args, "--watch") || name == "tsx" && hasFlag(args, "watch") {
		v.watches = true
		return v
	}
	v.known = false
	rest := skipFlags(args, "-r --require --import --loader --experimental-loader -C --conditions")
	if len(rest) > 0 {
		base := path.Base(rest[0])
		if strings.Contains(base, "test") && !strings.Contains(base, "latest") || strings.HasPrefix(rest[0], "test/") || strings.HasPrefix(rest[0], "./test/") {
			v.kind = kTest
		}
		if p, ok := programs[programName(rest[0])]; ok && strings.Contains(rest[0], "/bin/") {
			v.kind, v.reader, v.known = p.kind, p.reader, true
		}
	}
	return v
}

func classifyCRA(_ string, args []string) verdict {
	v := verdict{known: true}
	switch {
	case hasFlag(args, "test"):
		v.kind, v.reader = kTest, "jest"
		v.envCI = !hasFlag(args, "--watchAll=false", "--no-watch", "--watch=false", "--coverage", "--ci")
		v.watches = hasFlag(args, "--watchAll", "--watch") && !hasFlag(args, "--watchAll=false")
	case hasFlag(args, "build"):
		v.kind = kBuild
	case hasFlag(args, "start"):
		v.watches = true
	case hasFlag(args, "eject"):
		v.danger = "eject rewrites the project"
	}
	return v
}

func classifyKcd(_ string, args []string) verdict {
	v := verdict{known: true}
	switch {
	case hasFlag(args, "test"):
		v.kind, v.reader = kTest, "jest"
		v.envCI = !hasFlag(args, "--coverage", "--no-watch", "--ci", "--updateSnapshot")
	case hasFlag(args, "lint"):
		v.kind, v.reader = kLint, "eslint"
	case hasFlag(args, "typecheck"):
		v.kind, v.reader = kType, "tsc"
	case hasFlag(args, "build"):
		v.kind = kBuild
	case hasFlag(args, "format"):
		v.mutates = true
	}
	return v
}

func classifyRails(_ string, args []string) verdict {
	v := verdict{known: true}
	for _, a := range args {
		switch {
		case a == "test" || a == "test:all" || a == "test:system" || a == "spec":
			v.kind, v.reader = kTest, "minitest"
			v.partial = a == "test:system" && len(args) == 1
		case a == "db:drop" || a == "db:reset" || a == "db:purge" || a == "db:migrate:reset" || a == "db:seed:replant":
			v.danger = "rails " + a + " destroys data"
		case a == "server" || a == "s" || a == "console":
			v.watches = true
		case a == "zeitwerk:check":
			v.kind, v.partial = kLint, true
		}
	}
	return v
}

func classifyArtisan(_ string, args []string) verdict {
	v := verdict{known: true}
	switch {
	case hasFlag(args, "test"):
		v.kind, v.reader = kTest, "phpunit"
	case hasFlag(args, "migrate:fresh", "migrate:reset", "db:wipe", "migrate:refresh"):
		v.danger = "artisan drops the database"
	}
	return v
}

func classifyPHP(_ string, args []string) verdict {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-l" {
			return verdict{known: true, kind: kLint, partial: true}
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return verdict{known: true}
	}
	if path.Base(args[0]) == "artisan" {
		return classifyArtisan("artisan", args[1:])
	}
	return verdict{}
}

func classifyXcode(_ string, args []string) verdict {
	v := verdict{known: true}
	switch {
	case hasFlag(args, "test", "test-without-building"):
		v.kind = kTest
	case hasFlag(args, "build", "build-for-testing"):
		v.kind = kBuild
	}
	return v
}

func classifyClojure(_ string, args []string) verdict {
	for _, a := range args {
		if strings.HasPrefix(a, "-") && strings.Contains(a, "test") {
			return verdict{known: true, kind: kTest}
		}
	}
	return verdict{}
}

func classifyJulia(_ string, args []string) verdict {
	if anyContains(args, "Pkg.test") || anyContains(args, "runtests.jl") {
		return verdict{known: true, kind: kTest}
	}
	return verdict{}
}

func classifyR(_ string, args []string) verdict {
	switch {
	case anyContains(args, "check"):
		return verdict{known: true, kind: kTest}
	case anyContains(args, "test"):
		return verdict{known: true, kind: kTest}
	case anyContains(args, "lint"):
		return verdict{known: true, kind: kLint}
	}
	return verdict{}
}

func classifyPerl(_ string, args []string) verdict { return verdict{known: len(args) == 0} }

func anyPrefix(args []string, ps ...string) bool {
	for _, a := range args {
		for _, p := range ps {
			if strings.HasPrefix(a, p) && a != p+"=false" {
				return true
			}
		}
	}
	return false
}

// classifyTargets tells a make or rake call by its target where the file that
// declares it cannot be read: generated by configure, or code.
func classifyTargets(name string, args []string) verdict {
	v := verdict{known: true}
	var targets []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-") && !strings.Contains(a, "=") && !isNumber(a) {
			targets = append(targets, a)
		}
	}
	if len(targets) == 0 {
		v.kind = kBuild
		if name == "rake" {
			v.kind, v.reader = kTest, "minitest"
		}
		return v
	}
	for _, t := range targets {
		k, rank := kindOfName(t)
		if t == "check" || t == "installcheck" {
			k, rank = kTest, 0
		}
		if k != "" && dangerousName(t) == "" {
			v.kind, v.partial = k, rank >= rankSubset
		}
	}
	if v.kind == kTest && name == "rake" {
		v.reader = "minitest"
	}
	return v
}
