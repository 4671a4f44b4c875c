'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('./environment');
const { python, root, venvDir } = require('./runtime');
const { callerFolder } = require('./command-line');
const { shellLine } = require('./words');

/*
 * Commands as arrays of words, without a shell. run.js runs them.
 */

/** @param {string[]} words a command and its options */
const runLoader = (...words) => [python, '-m', 'etl', ...words];

/**
 * How the loader runs with typed words. Paths are relative to the caller's folder, but no code is loaded from there
 * (scripts/fleet/roles/db/files/catalog-etl does the same). Its last line names the command to type next.
 * @param {string | undefined} loaderDsn @param {string} command that was typed: `npm run load`
 * @param {string[]} [words] that followed it
 */
const fromCallersFolder = (loaderDsn, command, words = process.argv.slice(2)) => ({
  cwd: callerFolder(),
  env: environment('loader', {
    LOADER_DATABASE_URL: loaderDsn,
    CATALOG_COMMAND: [command, ...(words.length > 0 ? ['--', shellLine(words)] : [])].join(' '),
  }),
});

/** Migrates the schema that loads keep. */
const prepareCatalog = () => runLoader('prepare');

/** @param {string} dir of the six CSVs @param {string} rejects where the rejected rows are written */
const loadCatalog = (dir, rejects) => runLoader('load', dir, '--rejects', rejects);

const showLoads = () => runLoader('status');

/** @param {string} out @param {number} products */
const generateSample = (out, products) => [
  process.execPath,
  path.join(root, 'scripts/generate.js'),
  out,
  '--products',
  String(products),
];

/** @param {string[]} words */
const nodeTool = (...words) => [process.execPath, path.join(root, 'node_modules', words[0]), ...words.slice(1)];

/** @param {string[]} words */
const pythonTool = (...words) => [python, '-m', ...words];

/** Otherwise ruff looks beside each file, and finds none beside the tests. */
const ruffConfig = ['--config', 'etl/pyproject.toml'];

/** Executable scripts; sourced files are checked with them. @returns {string[]} */
const shellScripts = () =>
  fs
    .globSync(['.ci/*', '{scripts,tests,k6}/**/*.sh'], { cwd: root })
    .filter((file) => fs.statSync(path.join(root, file)).mode & 0o100);

/** From the wheel; where there is none for the machine (Linux on ARM), the one of its distribution. */
function shellcheck() {
  const wheel = path.join(venvDir, 'bin/shellcheck');
  return [fs.existsSync(wheel) ? wheel : 'shellcheck', '--check-sourced', ...shellScripts()];
}

const prettier = 'prettier/bin/prettier.cjs';
const descriptions = ['server/openapi.json', 'server/writer/openapi.json'];
const redocly = ['@redocly/cli/bin/cli.js', 'lint', '--config', 'scripts/redocly.yaml', ...descriptions];

/**
 * What `npm run check` runs, all of it; `kind` says which of its parts are `npm run lint` and `npm run typecheck`.
 * @type {() => { name: string, kind: 'lint' | 'format' | 'types', command: string[], env?: NodeJS.ProcessEnv }[]}
 */
const checks = () => [
  { name: 'eslint', kind: 'lint', command: nodeTool('eslint/bin/eslint.js', '.') },
  { name: 'prettier', kind: 'format', command: nodeTool(prettier, '--check', '.') },
  { name: 'tsc', kind: 'types', command: nodeTool('typescript/bin/tsc', '--noEmit') },
  { name: 'ruff check', kind: 'lint', command: pythonTool('ruff', 'check', ...ruffConfig, 'etl', 'tests') },
  {
    name: 'ruff format',
    kind: 'format',
    command: pythonTool('ruff', 'format', '--check', ...ruffConfig, 'etl', 'tests'),
  },
  { name: 'mypy', kind: 'types', command: pythonTool('mypy', '--config-file', 'etl/pyproject.toml', 'etl') },
  { name: 'shellcheck', kind: 'lint', command: shellcheck() },
  {
    name: 'ansible-lint',
    kind: 'lint',
    command: pythonTool('ansiblelint', ...['--offline', '--profile=production', '-q', '--nocolor', 'scripts/fleet']),
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
    command: nodeTool(...redocly),
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
  { name: 'prose', kind: 'lint', command: [process.execPath, 'scripts/check-prose.js'] },
];

/** What `npm run format` runs. */
const formatters = () => [
  { name: 'prettier', command: nodeTool(prettier, '--write', '--log-level=warn', '.') },
  { name: 'ruff format', command: pythonTool('ruff', 'format', ...ruffConfig, 'etl', 'tests') },
  { name: '.env.example', command: [process.execPath, path.join(root, 'scripts/local/env-example.js')] },
  { name: 'schemas.d.ts', command: [process.execPath, path.join(root, 'server/client/write-schemas.js')] },
];

module.exports = {
  ...{ checks, formatters, fromCallersFolder, generateSample, loadCatalog, prepareCatalog, runLoader, showLoads },
};
