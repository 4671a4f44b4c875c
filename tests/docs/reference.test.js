'use strict';
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { problems } = require('../../nginx/problems');
const { python } = require('../../scripts/lib/runtime');
const { SETTINGS } = require('../../server/config/settings');
const { WRITER_SETTINGS } = require('../../server/config/writer-settings');
const { PROBLEMS } = require('../../server/core/errors');
const { ROUTES } = require('../../server/routes');
const { openShell } = require('../helpers/command-lines');
const { documents, firstCells, read, root, trackedFiles, undocumented } = require('./sources');

const readme = read('README.md');

/** @param {string[]} words @returns {string} what the command prints */
const run = (...words) =>
  execFileSync(words[0], words.slice(1), {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '100', PYTHONDONTWRITEBYTECODE: '1' },
  });

/** @param {string} help @returns {string[]} */
const optionsIn = (help) => [...new Set(help.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])];

/** Matches in the first cells of tables. @param {RegExp} pattern @param {string} text @returns {string[]} */
const documentedWords = (pattern, text) => [
  ...new Set(
    firstCells(text)
      .map((cell) => cell.split(/[ =]/)[0])
      .filter((word) => pattern.test(word)),
  ),
];

/** Rows of a table for several commands, whose second cell names their files. @param {string} file @param {string} command */
const rowsOf = (file, command) =>
  (read(file).match(new RegExp(`^\\|[^|]*\\|[^|]*\\b${command}\\b[^|]*\\|.*$`, 'gm')) ?? []).join('\n');

const readmes = documents().filter((file) => path.basename(file) === 'README.md');

const { scripts } = JSON.parse(read('package.json'));
/** Each README with the programs whose options are in one of its tables: npm scripts, the loader, and node.sh. */
const documentedIn = {
  'etl/README.md': ['loader'],
  'k6/README.md': ['k6'],
  'scripts/README.md': ['start', 'dev', 'status', 'load', 'etl', 'key', 'hook', 'fleet'],
  'tests/lab/bench/README.md': ['bench'],
  'tests/lab/faults/README.md': ['faults'],
  'scripts/generate/README.md': ['generate'],
  'scripts/monitoring/README.md': ['monitor', 'profile'],
  'scripts/fleet/README.md': ['node.sh'],
  'tests/lab/machines/README.md': ['fleet:test'],
};
const programs = Object.values(documentedIn).flat();

/** @param {string} program an npm script @returns {string} its file, which `start` and `dev` share */
const fileOf = (program) => scripts[program].match(/bootstrap\.js ([\w-]+)/)[1];

/** Runs several command lines of the loader in one process: the words of each in one argument. */
const manyOfLoader = `
import sys
from etl.cli import main
for words in sys.argv[1:]:
    try:
        main(words.split())
    except SystemExit:
        pass
`;

describe('commands', () => {
  /** @type {string[]} of the loader */
  let subcommands;
  /** @type {Record<string, string[]>} of each program, without --help */
  const options = {};

  const shell = openShell();
  afterAll(() => shell.close());

  /** @param {string} program @returns {Promise<string>} */
  async function helpOf(program) {
    if (program === 'node.sh') return run('bash', 'scripts/fleet/node.sh', '--help');
    if (program === 'loader') {
      const help = run(python, '-m', 'etl', '--help');
      // argparse lists them indented by four, their texts by more.
      subcommands = [...help.matchAll(/^ {4}([a-z]+)(?= {2}|$)/gm)].map((match) => match[1]);
      return help + run(python, '-c', manyOfLoader, ...subcommands.map((name) => `${name} --help`));
    }
    const { stdout } = await shell.type(`${fileOf(program)}.js`, ['--help']);
    return stdout;
  }

  beforeAll(async () => {
    for (const program of programs)
      options[program] = optionsIn(await helpOf(program)).filter((option) => option !== '--help');
  });

  const commandOf = (/** @type {string} */ name) =>
    ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`;

  test('every npm script is in scripts/README.md', () => {
    expect(undocumented(Object.keys(scripts).map(commandOf), ['scripts/README.md'])).toEqual([]);
  });

  test('every npm script that a document names exists', () => {
    const named = documents().flatMap((file) => [
      ...read(file).matchAll(/\bnpm (?:run ([a-z][\w:-]*)|(start|test)\b)/g),
    ]);
    const gone = named.map((match) => match[1] ?? match[2]).filter((name) => !(name in scripts));
    expect(gone).toEqual([]);
  });

  test('every npm script has a README that lists its options, or has none', () => {
    const withoutOptions = ['test', 'test:long', 'check', 'lint', 'format', 'typecheck'];
    const others = ['loader', 'node.sh'];
    expect([...programs, ...withoutOptions].sort()).toEqual([...Object.keys(scripts), ...others].sort());
  });

  test('every subcommand of the loader is in its README', () => {
    expect(subcommands).toContain('load');
    expect(undocumented(subcommands, ['etl/README.md'])).toEqual([]);
  });

  test('every subcommand of the loader that a document names exists', () => {
    const named = documents().flatMap((file) => [...read(file).matchAll(/-m etl ([a-z]+)/g)]);
    expect(named.map((match) => match[1]).filter((name) => !subcommands.includes(name))).toEqual([]);
  });

  test.each(Object.entries(documentedIn))('%s lists every option of %j in a table', (file, names) => {
    for (const name of names) {
      const text = file === 'scripts/README.md' ? rowsOf(file, fileOf(name)) : read(file);
      expect(options[name].length).toBeGreaterThan(0);
      expect(options[name].filter((option) => !documentedWords(/^--/, text).includes(option))).toEqual([]);
    }
  });

  test('every option in a table of a README still exists', () => {
    const gone = readmes.flatMap((file) => {
      const named = /** @type {Record<string, string[]>} */ (documentedIn)[file] ?? [];
      const known = ['--help', ...named.flatMap((name) => options[name])];
      const unknown = documentedWords(/^--/, read(file)).filter((option) => !known.includes(option));
      return unknown.map((option) => `${file}: ${option}`);
    });
    expect(gone).toEqual([]);
  });
});

describe('environment variables', () => {
  /** Variables of npm and the system, and those that the test runner passes to tests. */
  const notSettings = /^(PATH|INIT_CWD|HOME|TMPDIR|TEST_\w+|PYTHON\w+|NODE_\w+|PM2_\w+)$/;
  const reading = /\benv\.([A-Z][A-Z0-9_]+)|environ(?:\.get\(|\[)["']([A-Z][A-Z0-9_]+)/g;
  const sources = trackedFiles().filter((file) => /^(scripts|etl|nginx|k6|ecosystem)\b.*\.(js|py)$/.test(file));
  const readBySource = sources.flatMap((file) =>
    [...read(file).matchAll(new RegExp(`${reading.source}|__ENV\\.([A-Z][A-Z0-9_]+)`, 'g'))].map(
      (match) => match[1] ?? match[2] ?? match[3],
    ),
  );
  const settings = [...Object.keys(SETTINGS), ...Object.keys(WRITER_SETTINGS)];
  const known = [...new Set([...settings, ...readBySource.filter((name) => !notSettings.test(name))])];

  test('every one that is read is in a README', () => {
    expect(known).toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'LOADER_DATABASE_URL', 'CAMPUS']));
    expect(undocumented(known, readmes)).toEqual([]);
  });

  test('every one in a table is still read', () => {
    const tables = documents().map(read).join('\n');
    const gone = documentedWords(/^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/, tables).filter((name) => !known.includes(name));
    expect(gone).toEqual([]);
  });
});

describe('routes', () => {
  const served = ROUTES.map(([route]) => route);
  const assets = ['/docs/:asset', '/browser/shop/:asset', '/browser/shared/:asset', '/client/:asset'];
  const admin = read('server/observe/admin-server.js').match(/(?<=')\/[a-z]+(?=')/g) ?? [];

  test('every route is in the README, and those of products are in the OpenAPI document', () => {
    const described = Object.keys(JSON.parse(read('server/openapi.json')).paths);
    const asPath = (/** @type {string} */ route) => route.replace(/:(\w+)/g, '{$1}');
    const own = served.filter((route) => !assets.includes(route));
    expect(undocumented(own, ['README.md'])).toEqual([]);
    expect(undocumented(admin, ['README.md'])).toEqual([]);
    const products = own.filter((route) => route.startsWith('/products'));
    expect(products.map(asPath).filter((route) => !described.includes(route))).toEqual([]);
  });

  test('every route in a table of the README is served', () => {
    const inTables = firstCells(readme).filter((cell) => cell.startsWith('/'));
    const routes = inTables.map((cell) => cell.split('?')[0]);
    expect(routes.length).toBeGreaterThanOrEqual(4);
    expect(routes.filter((route) => ![...served, ...admin].includes(route))).toEqual([]);
  });
});

describe('problems', () => {
  const all = [...Object.values(PROBLEMS), ...problems];
  const slugs = [...new Set(all.map(({ slug }) => slug))].sort();

  test('the OpenAPI document lists them', () => {
    const { type } = JSON.parse(read('server/openapi.json')).components.schemas.Problem.properties;
    expect([...type.enum].sort()).toEqual(slugs.map((slug) => `urn:catalog:problem:${slug}`));
  });

  test('the table of the README has each with its status', () => {
    const [table = ''] = readme.match(/^\| problem \|.*\n(?:\|.*\n)+/m) ?? [];
    const rows = table.match(/^\| `.*$/gm) ?? [];
    const documented = rows.flatMap((row) => firstCells(row).map((slug) => ({ slug, statuses: row.split('|')[2] })));
    expect(documented.map(({ slug }) => slug).sort()).toEqual(slugs);
    for (const { slug, statuses } of documented)
      expect(statuses).toContain(String(all.find((problem) => problem.slug === slug)?.status));
  });
});
