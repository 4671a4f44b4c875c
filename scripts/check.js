'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('./lib/environment');
const { runTool } = require('./lib/run');
const { python, root, venvDir } = require('./lib/runtime');
const { untilSignal } = require('./lib/command-line');
const { runCommand } = require('./lib/words');

/** @type {import('./lib/help').Help} */
const help = {
  about:
    'Runs eslint, prettier, tsc, ruff, mypy, shellcheck, ansible-lint, squawk, gixy, kubernetes-validate, redocly and a check of prose, all of them even when one fails.',
  rows: [
    ['npm run lint', 'only the linters: no layout, no types'],
    ['npm run typecheck', 'only tsc and mypy'],
    ['npm run format', 'lets prettier and ruff write, and writes .env.example'],
  ],
};

/** By the first word: each is an npm script of its own. @type {Record<string, string>} */
const parts = { lint: 'npm run lint', types: 'npm run typecheck', format: 'npm run format' };

/** @param {string[]} words */
const node = (...[file, ...words]) => [process.execPath, path.join(root, file), ...words];

/** Otherwise ruff looks beside each file, and finds no settings beside the tests. @param {string[]} words */
const ruff = (...words) => [python, '-m', 'ruff', ...words, '--config', 'etl/pyproject.toml', 'etl', 'tests'];

/** Its wheel; where there is none for the machine (Linux on ARM), the one of its distribution. It also checks what scripts source. */
function shellcheck() {
  const wheel = path.join(venvDir, 'bin/shellcheck');
  const isExecutable = (/** @type {string} */ file) => Boolean(fs.statSync(path.join(root, file)).mode & 0o100);
  const scripts = fs.globSync(['.ci/*', '{scripts,tests,k6}/**/*.sh'], { cwd: root }).filter(isExecutable);
  return [fs.existsSync(wheel) ? wheel : 'shellcheck', '--check-sourced', ...scripts];
}

const prettier = 'node_modules/prettier/bin/prettier.cjs';
const redocly = 'node_modules/@redocly/cli/bin/cli.js';
const descriptions = ['server/openapi.json', 'server/writer/openapi.json'];

/**
 * `kind`: the part that it belongs to. `npm run check` runs all but those that write (`format`).
 * @type {{ name: string, kind: string, command: string[], env?: NodeJS.ProcessEnv }[]}
 */
const tools = [
  { name: 'eslint', kind: 'lint', command: node('node_modules/eslint/bin/eslint.js', '.') },
  { name: 'prettier', kind: 'layout', command: node(prettier, '--check', '.') },
  { name: 'tsc', kind: 'types', command: node('node_modules/typescript/bin/tsc', '--noEmit') },
  { name: 'ruff check', kind: 'lint', command: ruff('check') },
  { name: 'ruff format', kind: 'layout', command: ruff('format', '--check') },
  { name: 'mypy', kind: 'types', command: [python, '-m', 'mypy', '--config-file', 'etl/pyproject.toml', 'etl'] },
  { name: 'shellcheck', kind: 'lint', command: shellcheck() },
  {
    name: 'ansible-lint',
    kind: 'lint',
    command: [python, '-m', 'ansiblelint', '--offline', '--profile=production', '-q', '--nocolor', 'scripts/fleet'],
    // Its programs are found on PATH; the syntax check needs an inventory.
    env: {
      ANSIBLE_CONFIG: path.join(root, 'scripts/fleet/ansible.cfg'),
      ANSIBLE_INVENTORY: path.join(root, 'scripts/fleet/inventory.five.yml'),
      LC_ALL: 'C.UTF-8',
      PATH: [path.join(venvDir, 'bin'), process.env.PATH].join(path.delimiter),
    },
  },
  {
    name: 'openapi',
    kind: 'lint',
    command: node(redocly, 'lint', '--config', 'scripts/redocly.yaml', ...descriptions),
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
  {
    name: 'squawk',
    kind: 'lint',
    command: [
      path.join(venvDir, 'bin/squawk'),
      '--config',
      'db/squawk.toml',
      '--reporter',
      'gcc',
      'db/migrations/*.sql',
    ],
  },
  {
    name: 'kubernetes',
    kind: 'lint',
    command: [
      path.join(venvDir, 'bin/kubernetes-validate'),
      '--strict',
      '--quiet',
      'scripts/containers/kubernetes.yaml',
    ],
  },
  { name: 'gixy', kind: 'lint', command: node('tests/nginx/check-gixy.js') },
  { name: 'prose', kind: 'lint', command: node('tests/docs/check-prose.js') },
  { name: 'prettier', kind: 'format', command: node(prettier, '--write', '--log-level=warn', '.') },
  { name: 'ruff format', kind: 'format', command: ruff('format') },
  { name: '.env.example', kind: 'format', command: node('scripts/local/env-example.js') },
  { name: 'schemas.d.ts', kind: 'format', command: node('server/client/write-schemas.js') },
];

const [first = '', ...rest] = process.argv.slice(2);
const part = Object.hasOwn(parts, first) ? first : '';
const args = part ? rest : process.argv.slice(2);

// Every check runs even after one failed, so that you can fix all of them together.
runCommand(parts[part] ?? 'npm run check', { help, args, options: {} }, async () => {
  const signal = untilSignal();
  const failed = [];
  const wanted = tools.filter(({ kind }) => (part === '' ? kind !== 'format' : kind === part));
  for (const { name, command, env } of wanted) {
    const { status, output } = await runTool(command, { env: environment('tool', env), keepOutput: true, signal });
    if (signal.aborted) return 1;
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    if (status !== 0) console.log(output.trim());
    if (status !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? `all ${wanted.length} passed` : `failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
