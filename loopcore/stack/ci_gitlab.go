package stack

import (
	"path"
	"strings"
)

// gitlabKeys are top-level keys of .gitlab-ci.yml that are no jobs.
var gitlabKeys = map[string]bool{"default": true, "include": true, "stages": true, "variables": true, "workflow": true, "image": true,
	"services": true, "before_script": true, "after_script": true, "cache": true, "spec": true, "pages": true}

// readGitLab reads .gitlab-ci.yml with its local includes.
func readGitLab(r *repo, file string) []ciCommand {
	jobs := map[string]*node{}
	var order []string
	var roots []*node
	r.gitlabFile(file, jobs, &order, &roots, 0)
	vars := map[string]string{}
	for _, root := range roots {
		root.get("variables").each(func(k string, _ int, v *node) {
			vars[k] = first(v.str(), v.get("value").str())
		})
	}
	var out []ciCommand
	for _, name := range order {
		job := jobs[name]
		if strings.HasPrefix(name, ".") || skipJob(name, job) && !strings.Contains(name, "test") {
			continue
		}
		when := gitlabGet(jobs, job, "when", 0).str()
		stage := gitlabGet(jobs, job, "stage", 0).str()
		if when == "manual" || when == "delayed" || skipWords[stage] {
			continue
		}
		like := ciCommand{job: name, advisory: gitlabGet(jobs, job, "allow_failure", 0).str() == "true"}
		env := merged(vars, gitlabGet(jobs, job, "variables", 0).env())
		dir := "."
		for _, key := range []string{"before_script", "script"} {
			for _, line := range gitlabScript(jobs, gitlabGet(jobs, job, key, 0), 0) {
				at := line.at()
				if line.block {
					at++
				}
				cs := r.ciScript(line.str(), dir, env, file, at, like)
				out = append(out, cs...)
				if d := cdOf(line.str()); d != "" {
					dir = path.Join(dir, d)
				}
			}
		}
	}
	return out
}

// cdOf is the folder of a line that only changes it: it lasts for the lines after.
func cdOf(line string) string {
	f := strings.Fields(line)
	if len(f) >= 2 && f[0] == "cd" && len(f) == 2 && !strings.HasPrefix(f[1], "$") {
		return f[1]
	}
	return ""
}

func (r *repo) gitlabFile(file string, jobs map[string]*node, order *[]string, roots *[]*node, depth int) {
	root, err := readYAML(r.read(file))
	if err != nil {
		r.warn(file + " is not valid YAML; CI's commands in it were not seen")
		return
	}
	if root == nil || depth > 3 {
		return
	}
	*roots = append(*roots, root)
	for _, inc := range root.get("include").list() {
		if f := first(inc.str(), inc.get("local").str()); f != "" && !strings.Contains(f, "://") && !strings.Contains(f, "*") {
			r.gitlabFile(strings.TrimPrefix(f, "/"), jobs, order, roots, depth+1)
		}
	}
	if inc := root.get("include", "local").str(); inc != "" {
		r.gitlabFile(strings.TrimPrefix(inc, "/"), jobs, order, roots, depth+1)
	}
	root.each(func(k string, _ int, v *node) {
		if gitlabKeys[k] || v == nil || v.kind != isMap {
			return
		}
		if jobs[k] == nil {
			*order = append(*order, k)
		}
		jobs[k] = v
	})
}

// gitlabGet reads a key of a job, through extends.
func gitlabGet(jobs map[string]*node, job *node, key string, depth int) *node {
	if job == nil || depth > 8 {
		return nil
	}
	if v := job.get(key); v != nil {
		return v
	}
	ext := job.get("extends").strs()
	for i := len(ext) - 1; i >= 0; i-- {
		if v := gitlabGet(jobs, jobs[ext[i]], key, depth+1); v != nil {
			return v
		}
	}
	return nil
}

// gitlabScript flattens a script: text, lists, nested lists and !reference.
func gitlabScript(jobs map[string]*node, n *node, depth int) []*node {
	if n == nil || depth > 6 {
		return nil
	}
	if n.kind == isScalar {
		return []*node{n}
	}
	if n.text == "!reference" && len(n.items) > 1 {
		job := jobs[n.items[0].str()]
		return gitlabScript(jobs, gitlabGet(jobs, job, n.items[1].str(), 0), depth+1)
	}
	var out []*node
	for _, it := range n.items {
		out = append(out, gitlabScript(jobs, it, depth+1)...)
	}
	return out
}
