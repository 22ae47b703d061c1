package stack

import (
	"strings"

	"fixloop/loopcore"
)

// dangerWords in a task's name keep it out of any gate: it may publish, deploy
// or destroy, whatever its body looks like.
var dangerWords = map[string]bool{
	"deploy": true, "publish": true, "release": true, "releases": true, "ship": true, "upload": true, "push": true, "tag": true, "bump": true,
	"version": true, "changeset": true, "promote": true, "rollout": true,
	"provision": true, "migrate": true, "seed": true, "reset": true, "drop": true, "destroy": true, "purge": true, "prune": true,
	"clean": true, "nuke": true, "uninstall": true, "eject": true, "sign": true,
	"start": true, "serve": true, "dev": true, "watch": true, "prepublish": true, "prepublishonly": true, "postinstall": true,
	"preinstall": true, "prepare": true, "prepack": true, "postpack": true, "preversion": true, "postversion": true, "prerelease": true,
	"prod": true, "production": true, "staging": true, "live": true, "up": true, "down": true, "debug": true, "ui": true, "update": true,
	"upgrade": true, "snapshots": true, "record": true, "preview": true, "stop": true, "kill": true, "rollback": true,
}

// rewriteWords in a name say that the task edits files.
var rewriteWords = map[string]bool{"fix": true, "autofix": true, "format": true, "fmt": true, "write": true, "prettify": true,
	"fixup": true, "pretty": true, "fixer": true, "autocorrect": true}

var camelSplit = loopcore.Lazily(`([a-z0-9])([A-Z])`)

// nameWords are the words of a task's name, in lower case.
func nameWords(name string) []string {
	name = camelSplit.ReplaceAllString(name, "$1-$2")
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
}

// dangerousName says why a task of this name must not be chosen, or "".
func dangerousName(name string) string {
	for _, w := range nameWords(name) {
		if dangerWords[w] {
			return "its name says " + w
		}
	}
	return ""
}

var publishing = map[string][]string{
	"npm": {"publish", "unpublish", "version", "dist-tag"}, "pnpm": {"publish", "version"}, "yarn": {"publish", "version"}, "bun": {"publish"},
	"cargo": {"publish", "yank", "release", "workspaces"}, "poetry": {"publish", "version"}, "uv": {"publish"},
	"hatch": {"publish", "version"}, "flit": {"publish"}, "pdm": {"publish", "bump"}, "gem": {"push"}, "twine": {"upload"},
	"lerna": {"publish", "version"}, "nx": {"release"}, "changeset": {"publish", "version", "tag"}, "maturin": {"publish", "upload"},
	"terraform": {"apply", "destroy"}, "tofu": {"apply", "destroy"}, "pulumi": {"up", "destroy"},
	"kubectl": {"apply", "delete", "create", "rollout", "set", "patch"}, "helm": {"install", "upgrade", "uninstall", "push"},
	"fly": {"deploy"}, "flyctl": {"deploy"}, "netlify": {"deploy"}, "vercel": {"deploy", "--prod"},
	"sls": {"deploy", "remove"}, "serverless": {"deploy", "remove"}, "wrangler": {"deploy", "publish"}, "firebase": {"deploy"},
	"gcloud": {"deploy", "app", "run", "functions"}, "cdk": {"deploy", "destroy"}, "sam": {"deploy"}, "eb": {"deploy"},
	"heroku": {"container:push", "container:release"}, "docker": {"push", "login"}, "docker-compose": {"push"},
	"vsce": {"publish"}, "ovsx": {"publish"}, "ansible-playbook": {""}, "dropdb": {""}, "goreleaser": {"release", ""},
	"semantic-release": {""}, "release-it": {""}, "np": {""}, "standard-version": {""}, "bumpversion": {""}, "bump2version": {""},
	"bump-my-version": {""}, "auto": {"shipit", "release"}, "gh-pages": {""}, "dep": {"deploy"}, "cap": {"deploy"}, "kamal": {"deploy"},
	"rover": {"publish"}, "sentry-cli": {"releases"}, "aws": {""}, "az": {""}, "rsync-deploy": {""}, "pkg-pr-new": {""}, "jsr": {"publish"},
	"deno": {"publish", "deploy"}, "ko": {"apply", "publish"}, "skaffold": {"run", "deploy", "dev"}, "scp": {""}, "mike": {"deploy"},
	"towncrier": {"build"}, "commit-and-tag-version": {""}, "shipjs": {""}, "sudo-deploy": {""},
}

// dangerous says why a command must never run as a gate, or "".
func dangerous(name string, args []string) string {
	if name == "sudo" && len(args) > 0 {
		inner := skipFlags(args, "-u -g")
		if len(inner) > 0 && (inner[0] == "apt" || inner[0] == "apt-get") {
			return ""
		}
		return "it runs as another user with sudo"
	}
	first := ""
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			first = a
			break
		}
	}
	for _, s := range publishing[name] {
		if s == "" || s == first || strings.HasPrefix(s, "--") && hasFlag(args, s) {
			if hasFlag(args, "--dry-run", "--snapshot", "-n") && name != "kubectl" {
				continue
			}
			return strings.TrimSpace(name+" "+s) + " publishes, deploys or destroys"
		}
	}
	return dangerousArgs(name, first, args)
}

func dangerousArgs(name, first string, args []string) string {
	switch name {
	case "git":
		switch {
		case first == "push" || first == "tag" || first == "clean" || first == "commit" || first == "stash" || first == "rebase":
			return "git " + first + " changes the repository"
		case first == "reset" && hasFlag(args, "--hard"), first == "checkout" && hasFlag(args, "."), first == "checkout" && hasFlag(args, "--force", "-f"):
			return "git " + first + " discards work"
		}
	case "rm":
		return dangerousRemove(args)
	case "yarn":
		if first == "npm" && hasFlag(args, "publish") || first == "workspaces" && hasFlag(args, "publish") {
			return "yarn npm publish publishes"
		}
	case "mix":
		if strings.HasPrefix(first, "ecto.drop") || strings.HasPrefix(first, "ecto.reset") || strings.HasPrefix(first, "hex.publish") {
			return "mix " + first + " destroys or publishes"
		}
	case "dotnet":
		if first == "nuget" && hasFlag(args, "push") {
			return "dotnet nuget push publishes"
		}
	case "docker", "docker-compose":
		if hasFlag(args, "down") && hasFlag(args, "-v", "--volumes") || first == "system" || first == "volume" {
			return "docker removes volumes"
		}
	case "rake":
		for _, a := range args {
			if a == "db:drop" || a == "db:reset" || a == "release" || strings.HasPrefix(a, "db:purge") || strings.HasPrefix(a, "deploy") {
				return "rake " + a + " destroys or publishes"
			}
		}
	case "dart", "flutter":
		if first == "pub" && hasFlag(args, "publish", "lish") && !hasFlag(args, "--dry-run") {
			return "pub publish publishes"
		}
	case "psql", "mysql", "mongo", "redis-cli":
		if anyContains(args, "DROP") || anyContains(args, "drop ") || hasFlag(args, "flushall", "FLUSHALL") {
			return name + " drops data"
		}
	case "gh":
		if first == "release" || first == "pr" {
			return "gh " + first + " changes the forge"
		}
	}
	return ""
}

func dangerousRemove(args []string) string {
	if !hasFlag(args, "-rf", "-fr", "-r", "-R", "-Rf") {
		return ""
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue
		}
		clean := strings.TrimPrefix(a, "./")
		if clean == "" || clean == "/" || clean == "." || clean == "*" || clean == "~" || strings.HasPrefix(clean, "/") && !strings.HasPrefix(clean, "/tmp") || strings.HasPrefix(clean, "..") || clean == "src" || clean == ".git" || strings.HasPrefix(a, "$HOME") {
			return "rm -r " + a + " removes more than build output"
		}
	}
	return ""
}

var noTestRE = loopcore.Lazily(`(?i)no tests? (specified|yet|configured|defined|available|here|found)|not (yet )?implemented|todo|no[- ]?op|` +
	`nothing to (do|test|lint|build)|coming soon|tests? (are )?disabled|skipping`)

// placeholder says whether a body only pretends: the stub of npm init, an echo
// that says there is nothing, true, or an empty body.
func placeholder(cmds []command) bool {
	real := 0
	for _, c := range cmds {
		if len(c.words) == 0 {
			continue
		}
		switch c.words[0] {
		case "true", ":", "exit", "false":
		case "echo", "printf":
			if !noTestRE.MatchString(strings.Join(c.words[1:], " ")) {
				continue // a message beside real work
			}
		default:
			real++
		}
	}
	return real == 0
}
