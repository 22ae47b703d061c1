package stack

import (
	"strings"

	"fixloop/loopcore"
)

// fromArguments offers the explicit commands of the call.
func fromArguments(r *repo) []candidate {
	var out []candidate
	for _, k := range loopcore.Kinds {
		if cmd := strings.TrimSpace(r.in.Explicit[k]); cmd != "" {
			out = append(out, candidate{kind: k, command: cmd, dir: r.base, conf: 1, trusted: true, src: loopcore.Source{Kind: "argument"}, warnings: swallowed(cmd)})
		}
	}
	return out
}

// fromConfig offers the gate: section of .fixloop.yaml.
func fromConfig(r *repo) []candidate {
	if r.in.Config == nil {
		return nil
	}
	var out []candidate
	for _, k := range loopcore.Kinds {
		src := loopcore.Source{Kind: "config", File: r.in.Config.File}
		if why, ok := r.in.Config.Absent[k]; ok {
			if why == "" {
				why = "declared absent in " + src.File
			}
			out = append(out, candidate{kind: k, absent: why, src: src})
		}
		for i, s := range r.in.Config.Steps[k] {
			src.Line = s.Source.Line
			dir, warns := s.Dir, swallowed(s.Command)
			if dir == "" {
				dir = "."
			}
			if len(r.list(dir)) == 0 {
				warns = append(warns, "the folder "+dir+" is not there, or has nothing in it")
			}
			out = append(out, candidate{kind: k, name: s.Name, command: s.Command, dir: dir, env: s.Env, timeout: s.TimeoutSeconds, conf: 1, rank: i,
				trusted: true, src: src, warnings: warns})
		}
	}
	return out
}

// swallowed warns of a given command that exits 0 whatever fails in it. It runs
// as it was given all the same.
func swallowed(cmd string) []string {
	for _, c := range splitShell(cmd, nil) {
		if c.masked {
			return []string{"its exit code is thrown away (by || true, ; true or a pipe): a failure would be masked, and masked is never a success"}
		}
	}
	return nil
}

// profileKeys are the keys of .claude/profile.yaml (the fix-until-green seed
// names test, lint and typecheck; build is ours).
var profileKeys = []struct {
	kind loopcore.Kind
	keys []string
}{
	{kTest, []string{"test", "tests", "test_command"}},
	{kLint, []string{"lint", "lint_command"}},
	{kType, []string{"typecheck", "type_check", "type-check", "typecheck_command"}},
	{kBuild, []string{"build", "build_command"}},
}

// fromProfile offers .claude/profile.yaml. null means unknown, so that the
// search goes on; none, false and "" mean that the step does not exist.
func fromProfile(r *repo) []candidate {
	file := r.first(".", ".claude/profile.yaml", ".claude/profile.yml")
	if file == "" {
		return nil
	}
	root, err := readYAML(r.read(file))
	if err != nil {
		r.warn(file + " is not valid YAML; it was not used")
		return nil
	}
	var out []candidate
	for _, pk := range profileKeys {
		for _, sec := range []*node{root, root.get("gate"), root.get("commands")} {
			for _, key := range pk.keys {
				sec.each(func(k string, line int, v *node) {
					if k == key {
						out = append(out, profileStep(pk.kind, file, line, v)...)
					}
				})
			}
		}
	}
	return out
}

func profileStep(kind loopcore.Kind, file string, line int, v *node) []candidate {
	src := loopcore.Source{Kind: "profile", File: file, Line: line}
	if v != nil && v.kind == isMap {
		v = v.get("command")
	}
	if v == nil || v.kind != isScalar {
		return nil
	}
	cmd := strings.TrimSpace(v.text)
	switch strings.ToLower(cmd) {
	case "none", "false", "no", "n/a", "absent", "":
		return []candidate{{kind: kind, absent: "declared absent in " + file, src: src}}
	case "null", "~", "unknown":
		return nil
	}
	return []candidate{{kind: kind, command: cmd, dir: ".", conf: 1, trusted: true, src: src, warnings: swallowed(cmd)}}
}
