// Package stack finds a repository's gate by reading it: nothing is executed.
//
// Start with three names. Detect reads a repository and answers its gate;
// ReportEnv says how to make a step's runners write reports without touching
// its command; Input is what Detect wants. Stacks, Pipelines and programs are
// the tables to extend.
//
// How it decides: every Source (argument, config, profile, docs, script, ci,
// default) offers candidates for each kind of step, and the first source in
// order with a usable one wins. What is usable is judged on what the command
// would run, followed through scripts, targets and tasks: a placeholder, an
// endless watcher or anything that deploys is never chosen.
package stack
