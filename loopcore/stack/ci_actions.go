package stack

import "strings"

func join(parts ...string) string { return strings.Join(strings.Fields(strings.Join(parts, " ")), " ") }

// actionCommand is the command that a well-known action runs.
func actionCommand(name string, with map[string]string) string {
	join := func(parts ...string) string {
		return strings.TrimSpace(strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
	}
	args := with["args"]
	switch strings.ToLower(name) {
	case "golangci/golangci-lint-action":
		return join("golangci-lint run", args)
	case "pre-commit/action":
		if args := with["extra_args"]; args != "" {
			return join("pre-commit run", args)
		}
		return "pre-commit run --all-files"
	case "tox-dev/action-pre-commit-uv", "j178/prek-action":
		return "pre-commit run --all-files"
	case "astral-sh/ruff-action", "chartboost/ruff-action":
		return join("ruff", first(args, "check "+with["src"]))
	case "psf/black":
		return join("black", first(with["options"], "--check"), first(with["src"], "."))
	case "isort/isort-action":
		return "isort --check-only ."
	case "jakebailey/pyright-action":
		return "pyright"
	case "dominikh/staticcheck-action":
		return "staticcheck ./..."
	}
	return buildAction(strings.ToLower(name), with)
}

// buildAction is actionCommand for compilers, test runners and other languages.
func buildAction(name string, with map[string]string) string {
	args := with["args"]
	switch name {
	case "actions-rs/cargo", "clechasseur/rs-cargo":
		return join("cargo", with["command"], args)
	case "actions-rs/clippy-check", "clechasseur/rs-clippy-check", "giraffate/clippy-action", "auguwu/clippy-action":
		return join("cargo clippy", first(args, with["clippy_flags"]))
	case "actions-rust-lang/rustfmt":
		return "cargo fmt --all --check"
	case "gradle/gradle-build-action", "gradle/actions/setup-gradle", "eskatos/gradle-command-action":
		if with["arguments"] == "" {
			return ""
		}
		return join("./gradlew", with["arguments"])
	case "goreleaser/goreleaser-action":
		return ""
	case "biomejs/setup-biome", "denoland/setup-deno":
		return ""
	case "ludeeus/action-shellcheck":
		return "shellcheck **/*.sh"
	case "crate-ci/typos":
		return "typos"
	case "rhysd/actionlint", "raven-actions/actionlint":
		return "actionlint"
	case "embarkstudios/cargo-deny-action":
		return "cargo deny check"
	case "coactions/setup-xvfb", "gabrielbb/xvfb-action":
		return with["run"]
	case "nick-fields/retry", "nick-invision/retry":
		return with["command"]
	case "cypress-io/github-action":
		return first(with["command"], "cypress run")
	case "symfonycorp/security-checker-action":
		return ""
	case "ruby/setup-ruby":
		return ""
	case "julia-actions/julia-runtest":
		return "julia --project -e 'using Pkg; Pkg.test()'"
	case "r-lib/actions/check-r-package":
		return `Rscript -e 'rcmdcheck::rcmdcheck(args = "--no-manual", error_on = "warning")'`
	case "creyd/prettier_action", "creyd/clang-format-action":
		return ""
	case "stylua/action", "johnnymorganz/stylua-action":
		return join("stylua", args)
	case "nebularg/actions-luacheck", "lunarmodules/luacheck":
		return join("luacheck", first(args, "."))
	}
	return ""
}
