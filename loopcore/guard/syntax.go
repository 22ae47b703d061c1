package guard

import (
	"path"
	"strings"
)

// lang is a language the lexer knows; every lang has one row in syntaxes.
type lang uint8

const (
	langNone lang = iota
	langGo
	langPython
	langJS
	langRust
	langJava
	langKotlin
	langRuby
	langPHP
	langC
	langCSharp
	langElixir
	langSwift
	langShell
	langMake
	langHash  // TOML, YAML, INI, CMake, .gitignore: only comments and strings matter
	langSlash // JSON with comments, neon-like and other brace languages
	langXML
)

// syntax says how one language writes comments, strings and blocks.
type syntax struct {
	name    string
	line    []string    // starts of line comments
	block   [][2]string // block comments
	nested  bool        // block comments nest
	quotes  string      // delimiters of strings with backslash escapes, one line
	raw     string      // delimiters of strings without escapes, many lines
	multi   string      // quotes (of the above) that may span lines
	triple  string      // quotes that also come in threes
	ident   string      // characters besides letters, digits and _ in a name
	regex   bool        // slash starts a regular expression where an operand may stand
	ends    bool        // blocks end with a word (end, fi, done)
	indent  bool        // blocks are indentation
	preproc bool        // lines that begin with # are directives
	special func(l *lexer) bool
}

// syntaxOf returns the lexical rules of a language.
func syntaxOf(l lang) *syntax {
	slash, star := []string{"//"}, [][2]string{{"/*", "*/"}}
	switch l {
	case langGo:
		return &syntax{name: "go", line: slash, block: star, quotes: `"'`, raw: "`"}
	case langPython:
		return &syntax{name: "python", line: []string{"#"}, quotes: `"'`, triple: `"'`, indent: true}
	case langJS:
		return &syntax{name: "javascript", line: slash, block: star, quotes: `"'`, ident: "$", regex: true, special: lexTemplate}
	case langRust:
		return &syntax{name: "rust", line: slash, block: star, nested: true, quotes: `"`, multi: `"`, special: lexRust}
	case langJava:
		return &syntax{name: "java", line: slash, block: star, quotes: `"'`, triple: `"`, ident: "$"}
	case langKotlin:
		return &syntax{name: "kotlin", line: slash, block: star, nested: true, quotes: `"'`, triple: `"`, special: lexTicked}
	case langRuby:
		return &syntax{name: "ruby", line: []string{"#"}, quotes: "\"'`", multi: "\"'`", ident: "?!", regex: true, ends: true, special: lexRuby}
	case langPHP:
		return &syntax{name: "php", line: []string{"//", "#"}, block: star, quotes: `"'`, multi: `"'`, ident: "$", special: lexPHP}
	case langC:
		return &syntax{name: "cpp", line: slash, block: star, quotes: `"'`, preproc: true, special: lexC}
	case langCSharp:
		return &syntax{name: "csharp", line: slash, block: star, quotes: `"'`, triple: `"`, preproc: true, special: lexCSharp}
	case langElixir:
		return &syntax{name: "elixir", line: []string{"#"}, quotes: `"'`, multi: `"`, triple: `"'`, ident: "?!", ends: true, special: lexElixir}
	case langSwift:
		return &syntax{name: "swift", line: slash, block: star, nested: true, quotes: `"`, triple: `"`, preproc: true, special: lexSwift}
	case langShell:
		return &syntax{name: "shell", line: []string{"#"}, quotes: `"`, raw: "'", multi: `"`, ident: "-./", ends: true, special: lexShell}
	case langMake:
		return &syntax{name: "make", line: []string{"#"}, ident: "-./"}
	case langHash:
		return &syntax{name: "config", line: []string{"#", ";"}, quotes: `"'`, triple: `"'`, ident: "-./"}
	case langXML:
		return &syntax{name: "xml", block: [][2]string{{"<!--", "-->"}}, quotes: `"`, ident: "-."}
	}
	return &syntax{name: "text", line: slash, block: star, quotes: `"'`, ident: "-"}
}

// langOf tells the language of a path by its name; head is the start of the
// file, used for the interpreter line of files without an extension.
func langOf(p, head string) lang {
	base := path.Base(p)
	switch base {
	case "Makefile", "makefile", "GNUmakefile":
		return langMake
	case "Rakefile", "Gemfile", "Guardfile", "Fastfile", "Podfile", "Dangerfile":
		return langRuby
	case "Jenkinsfile":
		return langJava
	case "CMakeLists.txt", "Dockerfile", ".editorconfig", ".gitignore", ".gitattributes":
		return langHash
	}
	switch strings.ToLower(strings.TrimPrefix(path.Ext(base), ".")) {
	case "go":
		return langGo
	case "py", "pyi", "pyw":
		return langPython
	case "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte":
		return langJS
	case "rs":
		return langRust
	case "java", "groovy", "gradle", "scala":
		return langJava
	case "kt", "kts":
		return langKotlin
	case "rb", "rake", "gemspec", "ru":
		return langRuby
	case "php", "phpt":
		return langPHP
	case "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "ipp", "m", "mm":
		return langC
	case "cs":
		return langCSharp
	case "ex", "exs":
		return langElixir
	case "swift":
		return langSwift
	case "sh", "bash", "bats", "zsh", "ksh":
		return langShell
	case "mk":
		return langMake
	case "toml", "yml", "yaml", "ini", "cfg", "cmake", "conf", "properties", "neon":
		return langHash
	case "xml", "csproj", "props", "targets", "runsettings":
		return langXML
	case "json", "jsonc", "json5":
		return langSlash
	case "":
		return langOfHead(head)
	}
	return langNone
}

// langOfHead reads the interpreter line.
func langOfHead(head string) lang {
	if !strings.HasPrefix(head, "#!") {
		return langNone
	}
	line, _, _ := strings.Cut(head, "\n")
	for _, w := range []struct {
		word string
		l    lang
	}{{"python", langPython}, {"node", langJS}, {"ruby", langRuby}, {"php", langPHP}, {"sh", langShell}, {"bats", langShell}, {"elixir", langElixir}} {
		if strings.Contains(line, w.word) {
			return w.l
		}
	}
	return langNone
}

// isCode says whether a language holds programs (as opposed to settings).
func (l lang) isCode() bool { return l >= langGo && l <= langShell }
