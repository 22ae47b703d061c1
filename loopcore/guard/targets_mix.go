package guard

import "strings"

var (
	// aliasesRE begins the list of aliases of a project of Mix.
	aliasesRE = lazily(`\baliases(\(\))?:?\s*(do\s*)?\[`)
	// aliasRE is one alias of Mix: a task, or several.
	aliasRE = lazily(`(?s)"?([\w.]+)"?(?::| =>)\s*(\[.*?\]|"[^"\n]*")`)
	// mixTaskRE is one task of an alias of Mix.
	mixTaskRE = lazily(`"([^"\n]*)"`)
)

// mixAliases reads the aliases of mix.exs, which name tasks of Mix, each other
// and, after cmd, programs.
func mixAliases(text string) commandSet {
	out := commandSet{"mix.exs": {}}
	at := aliasesRE.FindStringIndex(text)
	if at == nil {
		return out
	}
	tasks := map[string][]string{}
	for _, m := range aliasRE.FindAllStringSubmatch(text[at[1]:at[1]+enclosed(text[at[1]:])], -1) {
		for _, t := range mixTaskRE.FindAllStringSubmatch(m[2], -1) {
			tasks[m[1]] = append(tasks[m[1]], t[1])
		}
	}
	for name := range tasks {
		out[name] = aliasRuns(tasks, name, map[string]bool{})
	}
	return out
}

// aliasRuns lists what an alias of Mix runs, those that it names read out: each
// once, as Mix runs a task; ran are those that were read already, true while they are.
func aliasRuns(tasks map[string][]string, alias string, ran map[string]bool) []string {
	var out []string
	ran[alias] = true
	for _, t := range tasks[alias] {
		name, _, _ := strings.Cut(t, " ")
		program, isProgram := strings.CutPrefix(t, "cmd ")
		within, seen := ran[name]
		switch {
		case isProgram:
			out = append(out, program)
		case tasks[name] == nil || within: // an alias may add to the task of its name
			out = append(out, "mix "+t)
		case !seen:
			out = append(out, aliasRuns(tasks, name, ran)...)
		}
	}
	ran[alias] = false
	return out
}

// enclosed is how much of a text stands before the bracket that ends it.
func enclosed(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return len(text)
}
