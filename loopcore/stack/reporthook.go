package stack

// nodeHook is preloaded into every node process of a step. In a process that is
// jest or vitest itself it adds a JSON reporter; anywhere else it does nothing.
// Each process writes a file of its own: a monorepo runs many.
const nodeHook = `'use strict';
(function () {
  const dir = process.env.FIXLOOP_REPORT_DIR;
  const main = String(process.argv[1] || '').replace(/\\/g, '/');
  if (!dir || !main || !require('worker_threads').isMainThread || process.env.VITEST_POOL_ID || process.env.JEST_WORKER_ID) return;
  const args = process.argv.slice(2);
  const has = (...flags) => args.some((a) => flags.includes(a.split('=')[0]));
  const file = (kind) => dir + '/' + kind + '-' + process.pid + '.json';
  if (/(^|\/)(jest|jest\.js|jest-cli\/bin\/jest\.js)$/.test(main) || /react-scripts\/scripts\/test\.js$/.test(main)) {
    if (has('--json', '--outputFile', '--watch', '--watchAll', '--listTests', '--showConfig', '--version', '-v', '--help', '-h', '--init', '--clearCache')) return;
    const at = args.indexOf('--');
    const extra = ['--json', '--outputFile=' + file('jest')];
    if (at < 0) process.argv.push(...extra);
    else process.argv.splice(2 + at, 0, ...extra);
    return;
  }
  if (/(^|\/)(vitest|vitest\.mjs)$/.test(main)) {
    if (has('--reporter', '--reporters', '--outputFile', '--watch', '-w', '--ui', '--version', '-v', '--help', '-h') || ['watch', 'dev', 'list', 'bench', 'init', 'related'].includes(args[0])) return;
    process.argv.push('--reporter=default', '--reporter=json', '--outputFile.json=' + file('vitest'));
  }
})();
`

// mochaReporter prints like mocha's spec reporter and writes what its json
// reporter would have printed.
const mochaReporter = `'use strict';
const fs = require('fs');
const path = require('path');
function mocha() {
  for (const from of [process.cwd(), path.dirname(process.argv[1] || '.')]) {
    try { return require(require.resolve('mocha', { paths: [from] })); } catch (e) { /* next */ }
  }
  return require('mocha');
}
const { reporters } = mocha();
class Both extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const rows = { tests: [], pending: [], failures: [], passes: [] };
    const row = (t, err) => ({ title: t.title, fullTitle: t.fullTitle(), file: t.file, duration: t.duration, currentRetry: t.currentRetry && t.currentRetry(), err: plain(err || t.err) });
    const plain = (e) => {
      if (!e) return {};
      const out = { message: String(e.message || e), stack: String(e.stack || ''), name: e.name, code: e.code, operator: e.operator };
      for (const k of ['expected', 'actual']) {
        if (!(k in e)) continue;
        try { out[k] = typeof e[k] === 'string' ? e[k] : JSON.stringify(e[k]); } catch (x) { out[k] = String(e[k]); }
      }
      return out;
    };
    runner.on('test end', (t) => rows.tests.push(row(t)));
    runner.on('pass', (t) => rows.passes.push(row(t)));
    runner.on('pending', (t) => rows.pending.push(row(t)));
    runner.on('fail', (t, err) => rows.failures.push(row(t, err)));
    runner.once('end', () => {
      try { fs.writeFileSync(path.join(process.env.FIXLOOP_REPORT_DIR, 'mocha-' + process.pid + '.json'), JSON.stringify(Object.assign({ stats: this.stats }, rows))); } catch (e) { /* the text remains */ }
    });
  }
}
module.exports = Both;
`
