package guard

import (
	"sort"
	"strings"

	"github.com/goccy/go-yaml"
)

// job is one unit of a workflow: what it runs, and the settings around.
type job struct {
	name  string
	runs  []string // commands in order
	uses  []string
	keys  settings // loose settings of the job and its steps, by step
	lists settings // matrix axes
}

// ciDoc is a CI file as jobs.
type ciDoc struct {
	jobs  map[string]*job
	order []string
	all   settings // every key of the file
}

func readJobs(b []byte) (*ciDoc, bool) {
	if len(b) > maxConfig {
		return nil, false
	}
	var v any
	if yaml.Unmarshal(b, &v) != nil {
		return nil, false
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	doc := &ciDoc{jobs: map[string]*job{}, all: settings{}}
	doc.all.flatten("", v, 0)
	jobs, _ := m["jobs"].(map[string]any)
	if jobs == nil {
		jobs = map[string]any{}
		for k, e := range m {
			if _, ok := e.(map[string]any); ok && k != "variables" && k != "default" && k != "workflow" && k != "trigger" && k != "pool" && k != "env" && k != "cache" && k != "on" {
				jobs[k] = e
			}
		}
		for _, k := range [...]string{"script", "steps", "before_install", "after_script", "after_success", "install", "before_script", "test_script", "pipeline", "stages", "tasks"} {
			if e, ok := m[k]; ok {
				jobs["("+k+")"] = map[string]any{"script": e}
			}
		}
	}
	for name, e := range jobs {
		j := &job{name: name, keys: settings{}, lists: settings{}}
		j.read("", e, 0)
		doc.jobs[name] = j
		doc.order = append(doc.order, name)
	}
	sort.Strings(doc.order)
	return doc, true
}

// read walks a job; step names the step in which a setting stands.
func (j *job) read(step string, v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		if s := stepName(x); s != "" {
			step = s
		}
		if run := azureRun(x); run != "" {
			j.runs = append(j.runs, run)
		}
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			j.pair(step, k, x[k], depth)
		}
	case []any:
		for _, e := range x {
			if s, ok := e.(string); ok {
				j.runs = append(j.runs, s)
				continue
			}
			j.read(step, e, depth+1)
		}
	}
}

// azureTools are the programs that tasks of Azure Pipelines call, and the inputs
// that make up the command line.
var azureTools = map[string][]string{
	"DotNetCoreCLI": {"dotnet", "command", "projects", "arguments"},
	"Maven":         {"mvn", "goals", "options"},
	"Gradle":        {"gradle", "tasks", "options"},
	"Npm":           {"npm", "command", "customCommand"},
	"Go":            {"go", "command", "arguments"},
	"VSTest":        {"dotnet vstest", "testSelector", "testAssemblyVer2"},
}

// azureRun spells a task of Azure Pipelines as the command that it runs.
func azureRun(m map[string]any) string {
	task, _ := m["task"].(string)
	name, _, _ := strings.Cut(task, "@")
	inputs, _ := m["inputs"].(map[string]any)
	tool := azureTools[name]
	if tool == nil {
		return ""
	}
	words := tool[:1:1]
	for _, in := range tool[1:] {
		if s, ok := inputs[in].(string); ok && s != "custom" {
			words = append(words, s)
		}
	}
	return strings.Join(words, " ")
}

func stepName(m map[string]any) string {
	for _, k := range [...]string{"name", "id", "run", "uses", "script", "bash", "task", "displayName", "label"} {
		if s, ok := m[k].(string); ok {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	return ""
}

func (j *job) pair(step, k string, v any, depth int) {
	switch k {
	case "run", "script", "bash", "command", "cmd", "powershell", "pwsh", "before_script", "test_script", "commands", "cmds", "sh":
		switch x := v.(type) {
		case string:
			j.runs = append(j.runs, x)
			return
		case []any:
			for _, e := range x {
				if s, ok := e.(string); ok {
					j.runs = append(j.runs, s)
				} else {
					j.read(step, e, depth+1)
				}
			}
			return
		}
	case "uses", "template":
		if s, ok := v.(string); ok {
			j.uses = append(j.uses, s)
		}
	case "if", "only_if", "when", "continue-on-error", "allow_failure", "allow_failures", "continueOnError", "timeout-minutes",
		"timeoutInMinutes", "soft_fail", "ignoreExitStatus", "enabled", "condition", "retry", "only", "except", "rules", "needs", "failure",
		"shell", "filters", "skip", "manual", "max_retry", "retries", "retryCountOnTaskFailure", "max_attempts", "failOnStderr",
		"fail_ci_if_error", "failTaskOnFailedTests", "allowFailure", "trigger":
		s := settings{}
		s.flatten("", v, 0)
		var vals []string
		for _, key := range keysOf(s, nil) {
			for _, val := range s[key] {
				vals = append(vals, strings.TrimPrefix(key+"="+val, "="))
			}
		}
		key := k
		if step != "" {
			key = step + "\x00" + k
		}
		j.keys[key] = append(j.keys[key], vals...)
		return
	case "with", "inputs":
		if m, ok := v.(map[string]any); ok {
			for _, name := range sortedKeys(m) {
				s := settings{}
				s.flatten("", m[name], 0)
				j.keys[step+"\x00with."+name] = s[""]
			}
		}
	case "env":
		if m, ok := v.(map[string]any); ok {
			for _, name := range sortedKeys(m) {
				s := settings{}
				s.flatten("", m[name], 0)
				j.keys[step+"\x00env."+name] = s[""]
			}
		}
	case "matrix":
		j.lists.flatten("matrix", v, 0)
		return
	}
	j.read(step, v, depth+1)
}

func lastPart(s string) string {
	i := strings.LastIndex(s, ": ")
	if i < 0 {
		return s
	}
	head := s[:i]
	if j := strings.LastIndex(head, ": "); j >= 0 {
		return head[j+2:]
	}
	return head
}

func (c *ciDoc) hasStep(j *job, step string) bool {
	for k := range j.keys {
		if strings.HasPrefix(k, step+"\x00") {
			return true
		}
	}
	for _, r := range append(append([]string(nil), j.runs...), j.uses...) {
		if strings.Join(strings.Fields(r), " ") == step {
			return true
		}
	}
	for k, v := range c.all {
		if strings.HasSuffix(k, ".name") || strings.HasSuffix(k, ".id") || strings.HasSuffix(k, ".label") || strings.HasSuffix(k, ".displayName") || strings.HasSuffix(k, ".task") {
			for _, x := range v {
				if strings.Join(strings.Fields(x), " ") == step {
					return true
				}
			}
		}
	}
	return false
}
