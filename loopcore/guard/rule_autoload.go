package guard

import (
	"strings"

	"fixloop/loopcore"
)

var envRE = lazily(`(?m)\b(NODE_OPTIONS|PYTEST_ADDOPTS|PYTEST_PLUGINS|PYTHONSTARTUP|PYTHONPATH|PYTHONOPTIMIZE|GOFLAGS|RUBYOPT|RUBYLIB|BASH_ENV|` +
	`LD_PRELOAD|DYLD_INSERT_LIBRARIES|JAVA_TOOL_OPTIONS|MAVEN_OPTS|MAVEN_ARGS|GRADLE_OPTS|RUSTFLAGS|RUSTC_WRAPPER|CARGO_TARGET_\w+|` +
	`CARGO_BUILD_\w+|PERL5OPT|PHP_INI_SCAN_DIR|ERL_FLAGS|ELIXIR_ERL_OPTIONS|DOTNET_STARTUP_HOOKS|SPEC_OPTS|MOCHA_\w+|GTEST_FILTER|` +
	`JEST_\w+|VITEST_\w+|CI|PATH|SKIP|HUSKY|node-options|script-shell|ignore-scripts|preload|runner|rustc-wrapper|` +
	`rustc-workspace-wrapper|auto_prepend_file|auto_append_file|rustflags|alias)\b\s*[:=]`)

// flagsRE sets how code is generated and linked, and no lint.
var flagsRE = lazily(`(?m)^rustflags\s*=\s*\[("(-C|--cfg|target-(feature|cpu)=[^"]*|link-args?=[^"]*|linker=[^"]*|[+-]crt-static)"[,\s]*)+\]\s*$`)

// scriptsOffRE forbids packages to run scripts when they are installed.
var scriptsOffRE = lazily(`(?m)^ignore-scripts\s*=\s*true\s*$`)

// requireOptionRE has rspec load a file.
var requireOptionRE = lazily(`(-r|--require|-I)\s+\S`)

// testWordRE speaks of tests.
var testWordRE = lazily(`(?i)\btest`)

// autoLoaded judges files that tools read by themselves: E06.
func (d *diff) autoLoaded(f *fileDiff) {
	p := f.path()
	b := baseName(p)
	if f.new == nil || f.role == roleInstalled || len(f.new.Data) > maxConfig {
		return
	}
	text := string(f.new.Data)
	before := ""
	if f.old != nil {
		before = string(f.old.Data)
	}
	fresh := addedText(before, text)
	if strings.TrimSpace(fresh) == "" {
		return
	}
	danger, known := false, true
	switch b {
	case "sitecustomize.py", "usercustomize.py":
		danger = true
	case ".npmrc", ".yarnrc", ".yarnrc.yml", ".envrc", ".env", ".env.test", ".bazelrc", ".user.ini", "php.ini", ".pryrc", ".irbrc", ".bashrc",
		".profile", ".bash_profile", ".zshenv", ".zshrc", "bunfig.toml", "go.env", ".tool-versions", "mise.toml", ".mise.toml", "direnv.toml":
		danger = envRE.MatchString(scriptsOffRE.ReplaceAllString(fresh, ""))
	case ".rspec", ".rspec-local":
		danger = requireOptionRE.MatchString(strings.ReplaceAll(fresh, "--require spec_helper", "")) && !strings.Contains(fresh, "rails_helper")
		known = danger
	case "maven.config", "jvm.config", "extensions.xml":
		danger = hasSeg(p, ".mvn") && hasAny(fresh, "skip", "Skip", "ignore", "Ignore", "-fn", "--fail-never", "-o", "-Dtest", "-pl", "javaagent", "-fae", "<extension>", "groups", "-ea:", "-da", "failIfNo", "exclude")
	case "gradle.properties":
		danger = hasAny(fresh, "skip", "ignoreFailures", "-javaagent", "exclude", "init") || testWordRE.MatchString(fresh)
	case "init.gradle", "init.gradle.kts", "settings.gradle", "settings.gradle.kts":
		danger = hasAny(fresh, "ignoreFailures", "enabled = false", "exclude", "onlyIf", "allprojects") && strings.HasPrefix(b, "init") || hasAny(fresh, "ignoreFailures", "enabled = false")
		known = danger
	case "Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props", "NuGet.Config", "nuget.config":
		danger = hasAny(fresh, "TreatWarningsAsErrors>false", "NoWarn", "Compile Remove", "VSTest", "IsTestProject>false", "RunAnalyzers", "Exec Command", "SkipTests", "Nullable>disable", "WarningsNotAsErrors", "TestCaseFilter", "ContinueOnError")
	case "config.toml", "config":
		if !hasSeg(p, ".cargo") {
			return
		}
		danger = envRE.MatchString(flagsRE.ReplaceAllString(fresh, "")) || hasAny(fresh, "[alias]", "[source", "replace-with")
	default:
		if strings.Contains(p, "META-INF/services/org.junit") {
			break // what JUnit finds on the class path
		}
		if ext(p) != ".pth" && !strings.HasSuffix(p, ".gradle/init.d") && !hasSeg(p, "init.d") {
			return
		}
		danger = true
	}
	switch {
	case danger:
		d.report("E06", loopcore.SevBlock, p, lineOf(text, fresh), "a file that tools load by themselves gained: "+clip(strings.TrimSpace(fresh), 160))
	case known && f.old == nil && b != ".env" && b != ".tool-versions":
		d.report("E06", loopcore.SevHuman, p, 0, "a file that tools load by themselves is new")
	}
}
