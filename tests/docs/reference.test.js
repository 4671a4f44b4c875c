'use strict';
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { startEnvironment, startOptions } = require('../../scripts/lib/options');
const { python } = require('../../scripts/lib/runtime');
const { SETTINGS } = require('../../server/config');
const { ROUTES } = require('../../server/routes');
const { documents, firstCells, read, root, trackedFiles, untold } = require('./sources');

const readme = read('README.md');

/** @param {string[]} words @returns {string} what the command says */
const run = (...words) =>
  execFileSync(words[0], words.slice(1), {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '100', PYTHONDONTWRITEBYTECODE: '1' },
  });

/** @param {string} help @returns {string[]} */
const optionsIn = (help) => [...new Set(help.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])];

/** Told in a table's first cell, in any README. @param {RegExp} pattern @returns {string[]} */
const told = (pattern) => [
  ...new Set(
    documents()
      .flatMap((file) => firstCells(read(file)))
      .map((cell) => cell.split(/[ =]/)[0])
      .filter((word) => pattern.test(word)),
  ),
];

const readmes = documents().filter((file) => path.basename(file) === 'README.md');

const startNames = startOptions.map(({ name }) => `--${name}`);

describe('commands', () => {
  const { scripts } = JSON.parse(read('package.json'));
  /** Asked elsewhere in this file, or without options. */
  const others = ['start', 'generate', 'test', 'check', 'status'];
  const toolFiles = Object.entries(scripts)
    .filter(([name]) => !others.includes(name))
    .map(([, command]) => `scripts/${command.match(/bootstrap\.js (\w+)/)[1]}.js`);
  /** @type {string[]} */
  let subcommands;
  /** @type {string[]} */
  let etlOptions;
  /** @type {string[]} */
  let generatorOptions;
  /** @type {string[]} of the other npm scripts that take any */
  let toolOptions;
  /** @type {string[]} of what makes a machine a node */
  let nodeOptions;

  beforeAll(() => {
    const etl = (/** @type {string[]} */ ...words) => run(python, '-m', 'etl', ...words, '--help');
    const node = (/** @type {string} */ file) =>
      optionsIn(run(process.execPath, path.join(root, file), '--help'));
    // argparse lists them indented by four, their texts by more.
    subcommands = [...etl().matchAll(/^ {4}([a-z]+)(?= {2}|$)/gm)].map((match) => match[1]);
    etlOptions = optionsIn([etl(), ...subcommands.map((name) => etl(name))].join('\n'));
    generatorOptions = node('scripts/generate/index.js');
    nodeOptions = optionsIn(run('bash', 'scripts/provision/node.sh', '--help'));
    toolOptions = toolFiles.flatMap(node);
  });

  const commandOf = (/** @type {string} */ name) =>
    ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`;

  test('every npm script is in the README', () => {
    expect(untold(Object.keys(scripts).map(commandOf), ['README.md'])).toEqual([]);
  });

  test('every npm script that a document names exists', () => {
    const named = documents().flatMap((file) => [
      ...read(file).matchAll(/\bnpm (?:run ([a-z][\w:-]*)|(start|test)\b)/g),
    ]);
    const gone = named.map((match) => match[1] ?? match[2]).filter((name) => !(name in scripts));
    expect(gone).toEqual([]);
  });

  test('every option of npm start is in the README', () => {
    expect(startNames.length).toBeGreaterThan(5);
    expect(untold(startNames, ['README.md'])).toEqual([]);
  });

  test("every subcommand and option of the loader is in the README or the loader's", () => {
    expect(subcommands).toContain('load');
    expect(untold([...subcommands, ...etlOptions], ['README.md', 'etl/README.md'])).toEqual([]);
  });

  test('every subcommand of the loader that a document names exists', () => {
    const named = documents().flatMap((file) => [...read(file).matchAll(/-m etl ([a-z]+)/g)]);
    expect(named.map((match) => match[1]).filter((name) => !subcommands.includes(name))).toEqual(
      [],
    );
  });

  test("every option of the generator is in the README or the generator's", () => {
    expect(generatorOptions).toContain('--dirty');
    expect(untold(generatorOptions, ['README.md', 'scripts/generate/README.md'])).toEqual([]);
  });

  test('every option of the other npm scripts is in a README', () => {
    expect(toolOptions).toEqual(expect.arrayContaining(['--state', '--rounds']));
    expect(untold(toolOptions, readmes)).toEqual([]);
  });

  test('every option of a node is in its README', () => {
    expect(nodeOptions).toEqual(expect.arrayContaining(['--role', '--replica-of']));
    expect(untold(nodeOptions, ['scripts/provision/README.md'])).toEqual([]);
  });

  test('every option in a table still exists', () => {
    const known = [startNames, etlOptions, generatorOptions, toolOptions, nodeOptions].flat();
    expect(told(/^--/).filter((option) => !known.includes(option))).toEqual([]);
  });
});

describe('environment variables', () => {
  /** npm's, the system's, and what the test runner tells its own tests. */
  const notSettings = /^(PATH|INIT_CWD|HOME|TMPDIR|TEST_\w+|PYTHON\w+|NODE_\w+|PM2_\w+)$/;
  const reading = /\benv\.([A-Z][A-Z0-9_]+)|environ(?:\.get\(|\[)["']([A-Z][A-Z0-9_]+)/g;
  const sources = trackedFiles().filter((file) =>
    /^(scripts|etl|nginx|k6|ecosystem)\b.*\.(js|py)$/.test(file),
  );
  const readBySource = sources.flatMap((file) =>
    [...read(file).matchAll(new RegExp(`${reading.source}|__ENV\\.([A-Z][A-Z0-9_]+)`, 'g'))].map(
      (match) => match[1] ?? match[2] ?? match[3],
    ),
  );
  const known = [
    ...new Set([
      ...Object.keys(SETTINGS),
      ...startEnvironment.map(({ name }) => name),
      ...readBySource.filter((name) => !notSettings.test(name)),
    ]),
  ];

  test('every one that is read is in a README', () => {
    expect(known).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'LOADER_DATABASE_URL', 'CAMPUS']),
    );
    expect(untold(known, readmes)).toEqual([]);
  });

  test('every one in a table is still read', () => {
    const gone = told(/^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/).filter((name) => !known.includes(name));
    expect(gone).toEqual([]);
  });
});

describe('routes', () => {
  const served = ROUTES.map(([route]) => route);
  const assets = ['/docs/:asset'];
  const admin = read('server/admin/admin-server.js').match(/(?<=')\/[a-z]+(?=')/g) ?? [];

  test('every route is in the README and in the OpenAPI document', () => {
    const described = Object.keys(JSON.parse(read('server/openapi.json')).paths);
    const asPath = (/** @type {string} */ route) => route.replace(/:(\w+)/g, '{$1}');
    const own = served.filter((route) => !assets.includes(route));
    expect(untold(own, ['README.md'])).toEqual([]);
    expect(untold(admin, ['README.md'])).toEqual([]);
    expect(own.map(asPath).filter((route) => !described.includes(route))).toEqual([]);
  });

  test('every route in a table of the README is served', () => {
    const inTables = firstCells(readme).filter((cell) => cell.startsWith('/'));
    const routes = inTables.map((cell) => cell.split('?')[0]);
    expect(routes.length).toBeGreaterThanOrEqual(4);
    expect(routes.filter((route) => ![...served, ...admin].includes(route))).toEqual([]);
  });
});
