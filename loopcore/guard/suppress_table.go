package guard

// directive is one kind of suppression. Comment directives are anchored at the
// start of a comment's line, code directives at the start of an attribute.
type directive struct {
	rule  string
	re    *lazyRE // group 1, where there is one, holds the codes it names
	broad bool    // file-wide, or of everything, whatever it names
	mild  bool    // about layout, spelling or one expression: for a person at most
	heed  heed    // which comments its tool obeys
}

// heed is what a tool asks of a comment that holds its directive. Words behind
// a directive make prose of it only where the tool reads it so too.
type heed uint8

const (
	heedAnywhere heed = iota // it looks for its words, whatever stands around them
	heedFirst                // the comment must begin with them
	heedExact                // it takes what follows for names, and words name nothing
)

// leading is a directive that must begin its comment.
func leading(d directive) directive { d.heed = heedFirst; return d }

// exact is a directive that no words may follow.
func exact(d directive) directive { d.heed = heedExact; return d }

func dx(rule, s string) directive  { return directive{rule: rule, re: lazily(s)} }
func dxb(rule, s string) directive { return directive{rule: rule, re: lazily(s), broad: true} }
func dxm(rule, s string) directive { return directive{rule: rule, re: lazily(s), mild: true} }

// commentDirectives silence a tool from a comment: L01 to L07 in docs/guard.md.
var commentDirectives = []directive{
	// Go
	leading(dx("L01", `^nolint\b(?::([\w,\- ]+))?`)),
	leading(dxb("L05", `^lint:file-ignore\s+(\S+)`)),
	leading(dx("L01", `^lint:ignore\s+(\S+)`)),
	dx("L01", `^(?:revive|exhaustive|staticcheck|gocritic|errcheck|cognitive-complexity|exhaustruct|nolintlint|nilaway|wrapcheck|goconst):(?:disable\S*|ignore\S*)(?:\s+([\w\-]+))?`),
	dx("L07", `^gosec:disable(?:\s+(G\d+))?`),
	// layout and spelling, in any language
	dxm("L01", `^(?:fmt|yapf|isort|autopep8|black|codespell|cmake-format|standardrb|formatter|@formatter|spotless|swift-format|`+
		`nixfmt)\s*:\s*(?:off|disable|skip|ignore)|^(?:clang-format|spotless|dprint|scalafmt)[\s:]+(?:off|ignore)|`+
		`^(?:prettier|dprint|deno-fmt|csharpier|swift-format|stylua|gdformat)-ignore|^swiftformat:disable|`+
		`^(?:cspell|spell-checker|spellchecker):\s*(?:disable|ignore)|^ruff:\s*isort:|^IWYU pragma:|^typos:|^@prettier-ignore|^@format:off`),
	// Python
	dxb("L05", `^(?i:ruff|flake8)\s*[:=]\s*(?i:noqa)(?:\s*:\s*([A-Z]+[0-9]+[A-Z0-9, ]*))?|^ruff:\s*(?:file-ignore|disable)\[([\w\-, ]+)\]`),
	dx("L01", `^ruff:\s*ignore\[([\w\-, ]+)\]`),
	dx("L01", `^(?i:noqa)(?:\s*:\s*([A-Za-z]+[0-9]+(?:[, ]+[A-Za-z]+[0-9]+)*)|\b)|^nopep8\b`),
	dxb("L05", `^pylint:\s*(?:skip-file|disable=all)`),
	dx("L01", `^pylint:\s*disable(?:-next)?=([\w\-, ]+)`),
	leading(dx("L02", `^type:\s*ignore\b(?:\[([\w\-, ]+)\])?`)),
	leading(dx("L02", `^(?:pyright|ty|pyrefly|zuban|basedpyright):\s*ignore\b(?:\[([\w\-, ]+)\])?`)),
	leading(dx("L02", `^pyre-(?:ignore|fixme|unsafe|ignore-all-errors)(?:\[([\d, ]+)\])?`)),
	dxb("L05", `^mypy:\s*(?:ignore[-_]|disable[-_]error[-_]code|allow[-_]|no[-_]|follow[-_]imports|(?:disallow|warn|check|strict|extra)\w*(?:[-_]\w+)*\s*=\s*(?i:false))`),
	dxb("L05", `^pyright:\s*(?:basic|strict=false|report\w+\s*=\s*"?(?:false|none|warning|information)|standard|off)|^pyrefly:\s*ignore-errors|^pytype:\s*skip-file`),
	dx("L02", `^pytype:\s*disable=([\w\-, ]+)`),
	dx("L04", `(?i)^pragma\s*:?\s*no\s*(?:cover|branch|partial)`),
	dx("L07", `^(?:pragma|nosec|# nosec)\s*:?\s*(?:allowlist|whitelist)\s+secret`),
	// JavaScript and TypeScript
	exact(dx("L01", `^(?:eslint|oxlint)-disable-(?:next-line|line)(?:\s+([@\w/\-]+(?:\s*,\s*[@\w/\-]+)*))?`)),
	exact(dxb("L05", `^(?:eslint|oxlint)-disable(?:\s+([@\w/\-]+(?:\s*,\s*[@\w/\-]+)*))?\s*(?:\*/)?`)),
	dxb("L05", `^eslint\s+[@\w/\-]+\s*:\s*\[?\s*["']?(?:off|warn|[01]\b)|^flowlint\s+[\w\-]+:(?:off|warn)`),
	exact(dxb("L05", `^(?:biome|rome)-ignore-(?:all|start)\s+([\w/]+)`)),
	exact(dx("L01", `^(?:biome|rome)-ignore\s+([\w/]+)|^flowlint-(?:next-)?line\s+([\w\-]+):off|^jshint\s+(?:ignore:\w+|-W\d+|\w+:\s*false)`)),
	exact(dx("L01", `^deno-lint-ignore(?:\s+([\w\-, ]+))?`)),
	exact(dxb("L05", `^deno-lint-ignore-file`)),
	dx("L01", `^(?:tslint|stylelint|jshint|jscs|jslint|htmlhint|markdownlint)[:\-]\s*(?:disable|ignore)(?:-next-line|-line)?(?::?\s*([\w\-, ]+))?`),
	leading(dx("L02", `^@ts-(?:ignore|expect-error)\b`)),
	leading(dxb("L05", `^@ts-nocheck\b`)),
	leading(dx("L02", `^\$Flow(?:FixMe|Ignore|ExpectedError|Issue)(?:\[([\w\-]+)\])?`)),
	dxb("L05", `^@?noflow\b|^(?:istanbul|c8|v8)\s+ignore\s+file`),
	exact(dx("L04", `^(?:istanbul|c8|v8|node:coverage|vitest|coverage)\s+(?:ignore|disable)\b`)),
	leading(dx("L04", `^deno-coverage-ignore\b`)),
	dx("L07", `^Stryker\s+disable(?:\s+(?:next-line|all))?`),
	leading(dx("L02", `^@(?:vue|svelte)-ignore|^svelte-ignore\s+([\w\-]+)`)),
	// Java, Kotlin
	dx("L01", `^NOPMD\b`),
	dxb("L05", `^CHECKSTYLE[:.\s]*(?:OFF|DISABLE|SUPPRESS)|^checkstyle:off|^CSOFF\b|^SUPPRESS CHECKSTYLE\b|^CPD-OFF\b|^@?dotcover disable`),
	dx("L01", `^noinspection\s+(\w+)`),
	dx("L01", `^ktlint-disable(?:\s+([\w\-: ]+))?|^detekt:\s*(?:disable|ignore)`),
	// Ruby
	dxb("L05", `^(?:rubocop|standard)\s*:\s*(?:disable|todo)\s+all\b`),
	dx("L01", `^(?:rubocop|standard|haml-lint|slim-lint)\s*:\s*(?:disable|todo)\s+([\w/, ]+)`),
	dx("L04", `^:nocov:|^simplecov:disable`),
	dxb("L05", `^typed:\s*(?:false|ignore)\b`),
	dx("L01", `^:reek:|^reek:|^steep:ignore|^brakeman:ignore|^erb_?lint:disable\s+(\w+)`),
	// PHP
	leading(dx("L02", `^@(?:phpstan-ignore|psalm-suppress|phan-suppress|phan-file-suppress|mago-ignore)[\w\-]*(?:\s+([\w.]+))?`)),
	dxb("L05", `^(?:@?codingStandardsIgnore(?:Start|File)|phpcs:(?:disable|ignoreFile)|phpstan-ignore-file)`),
	dx("L01", `^@noRector\b|^@no-named-arguments\b|^phpcs:ignore(?:\s+([\w.]+))?|^@codingStandardsIgnoreLine|^@SuppressWarnings\((\w[\w.]*)`),
	dx("L04", `^@codeCoverageIgnore(?:Start)?\b|^@coversNothing`),
	dx("L07", `^@infection-ignore-all`),
	// C, C++
	dx("L01", `^NOLINT(?:NEXTLINE)?(?:\(([\w\-.,* ]+)\))?`),
	dxb("L05", `^NOLINTBEGIN`),
	dx("L01", `^cppcheck-suppress(?:-begin|-file|-macro)?\s*\[?([\w\-]+)`),
	dx("L01", `^codechecker_(?:suppress|false_positive|intentional)\s*\[([\w\-,. ]+)\]|^clazy:exclude(?:all)?=([\w\-,]+)|^krazy:exclude|^(?i:flawfinder|RATS|ITS4):\s*ignore`),
	dx("L04", `^(?:LCOV|GCOV|GCOVR|GRCOV)_EXCL_(?:LINE|START|BR_LINE|BR_START|FUNCTION)`),
	dx("L01", `^(?:coverity\[([\w ]+)\]|-V\d+|lint\s+-?e\d+|lint\s+!e\d+|cpplint|NOCPPLINT|sast-ignore)`),
	// C#
	dx("L01", `^ReSharper\s+disable(?:\s+(?:once|All))?\s*(\w*)`),
	// Elixir
	dxb("L05", `^credo:disable-for-this-file`),
	dx("L01", `^credo:disable-for-(?:next-line|previous-line|lines:-?\d+)(?:\s+([\w.]+))?`),
	dx("L04", `^coveralls-ignore-(?:start|next-line|stop)`),
	dx("L07", `^sobelow_skip\b`),
	// Swift
	dxb("L05", `^swiftlint:disable\s+all\b`),
	dx("L01", `^swiftlint:disable(?::this|:next|:previous)?\s+([\w ]+)`),
	dx("L01", `^periphery:ignore`),
	// shell, docker, yaml
	dxb("L05", `^shellcheck\s+(?:\w+=\S+\s+)*disable=all\b`),
	dx("L01", `^shellcheck\s+(?:\w+=\S+\s+)*disable=([\w,\-]+)`),
	dx("L01", `^hadolint\s+(?:global\s+)?ignore=([\w,]+)|^yamllint\s+disable(?:-line)?(?:\s+rule:(\w+))?|^cmake-lint:\s*disable|`+
		`^ansible-lint\s+skip|^zizmor:\s*ignore(?:\[([\w\-, ]+)\])?|^actionlint\s+ignore|^tflint-ignore(?:-file)?:\s*([\w,]+)|`+
		`^check=skip=([\w,]+)|^buf:lint:ignore\s+(\w+)|^protolint:disable(?:\S*)\s*(\w*)|^regal ignore:([\w\-,]+)|^noqa\s+([\w\-\[\]]+)$`),
	// scanners
	dx("L07", `^#?nosec\b(?:\s+([BG]\d+(?:[, ]+[BG]?\d+)*))?`),
	dx("L07", `^NOSONAR\b`),
	dx("L07", `^(?:codeql|lgtm)\s*\[([\w/\-, ]+)\]|^(?:checkov|trivy|tfsec|kics|kics-scan|terrascan|cfsec|snyk|bearer|grype|trufflehog|ggignore)\s*:\s*(?:skip|ignore|disable)\S*`),
	dx("L07", `^(?:gitleaks|trufflehog|betterleaks)\s*:\s*(?:allow|ignore)|^nosemgrep\b(?::\s*([\w.\-]+))?|^skipcq\b|^deepcode\s+ignore|^DevSkim:\s*ignore|^safeql|^nosem\b`),
	dx("L07", `^(?:pitest|mutmut|pragma):\s*(?:no mutate|ignore|skip)|^mutation:\s*(?:ignore|disable)`),
}

// codeDirectives are attributes, annotations and pragmas, looked for in the code with its strings.
var codeDirectives = map[lang][]directive{
	langRust: {
		dxb("L05", `#!\[(?:cfg_attr\([^,]*,)?(?:allow|expect)\(([\w:, ]+)`),
		dx("L01", `#\[(?:cfg_attr\([^,]*,)?(?:allow|expect)\(([\w:, ]+)`),
		dx("L04", `#\[(?:cfg_attr\([^,]*,)?(?:coverage\(off\)|no_coverage|mutants::skip|tarpaulin::skip)|#\[cfg\(not\(tarpaulin(?:_include)?\)\)`),
		dxm("L01", `#!?\[(?:cfg_attr\([^,]*,)?rustfmt::skip`),
	},
	langJava: {
		dx("L01", `@(?:\w+\.)*(?:SuppressWarnings|SuppressFBWarnings|SuppressLint|CheckReturnValueIgnored|CanIgnoreReturnValue)\(?([^)]*)\)?`),
		dx("L04", `@(?:\w+\.)*(?:Generated|ExcludeFromJacocoGeneratedReport|ExcludeFromCoverage\w*|CoverageIgnore|NoCoverage\w*|DoNotMutate)\b`),
		dx("L02", `@(?:\w+\.)*(?:NullUnmarked|SuppressNullCheck)\b`),
	},
	langKotlin: {
		dxb("L05", `@file:(?:\w+\.)*Suppress\(([^)]*)\)`),
		dx("L01", `@(?:\w+\.)*(?:Suppress|SuppressWarnings|SuppressLint)\(([^)]*)\)`),
		dx("L04", `@(?:\w+\.)*(?:Generated|ExcludeFromJacocoGeneratedReport|ExcludeFromCoverage\w*|CoverageIgnore|KoverIgnore)\b`),
	},
	langCSharp: {
		dxb("L05", `\[(?:assembly|module):(?:\w+\.)*SuppressMessage\(([^)]*)\)`),
		dx("L01", `[\[,](?:\w+\.)*(?:SuppressMessage|UnconditionalSuppressMessage)(?:Attribute)?\(([^)]*)\)`),
		dx("L04", `[\[,:](?:\w+\.)*ExcludeFromCodeCoverage(?:Attribute)?\b`),
	},
	langElixir: {
		dx("L03", `@(?:spec|callback|type|typep|opaque)\b[^\n]*\b(?:any|term)\(\)`),
		dx("L02", `@dialyzer\W+:?(no_\w+|nowarn_function)?`),
		dx("L01", `@compile\W+:?(nowarn\w*|no_warn_undefined)`),
		dx("L01", `@credo\b`),
		dx("L07", `@sobelow_skip\b`),
	},
	langSwift: {
		dx("L03", `@unchecked Sendable|nonisolated\(unsafe\)|@preconcurrency import`),
	},
	langPHP: {
		dx("L04", `#\[(?:\\?\w+\\)*CodeCoverageIgnore|#\[(?:\\?\w+\\)*CoversNothing`),
		dx("L01", `#\[(?:\\?\w+\\)*SuppressWarnings`),
		dxm("L01", `@[\w$\\]+`), // the operator that silences an expression
	},
	langC: {
		dx("L06", `^#\s*pragma\s+(?:GCC|clang|G\+\+)\s+diagnostic\s+(?:ignored|warning)\s+"?([\w\-+]*)`),
		dx("L06", `^#\s*pragma\s+warning\s*\(\s*(?:push\s*,\s*0|(?:disable|suppress)\s*:?\s*([\d ]*))`),
		dx("L06", `^#\s*pragma\s+(?:GCC|clang)\s+system_header|^#\s*pragma\s+nv_diag_suppress|^#\s*pragma\s+(?:diag_suppress|warn\s*-)|_Pragma\("(?:GCC|clang) diagnostic ignored`),
		dx("L01", `__attribute__\(\(no_sanitize(\w*)|__attribute__\(\(no_(?:instrument_function|profile\w*)|\[\[(?:gsl|clang)::(?:suppress|no_sanitize)|__suppress__`),
	},
	langPython: {
		dx("L02", `@(?:typing\.)?no_type_check\b`),
	},
	langGo:   {},
	langRuby: {dx("L03", `\bT\.unsafe\(|\bT\.untyped\b|\bT\.must\(`)},
}

// pragmaDirectives are preprocessor lines of C#.
var pragmaDirectives = []directive{
	dxb("L05", `^#\s*nullable\s+(?:disable|restore)\s*(?:warnings|annotations)?`),
	dx("L06", `^#\s*pragma\s+warning\s+disable(?:\s+([\w, ]+))?`),
}
