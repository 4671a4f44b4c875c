'use strict';

const { existsSync, readFileSync, readdirSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');

const SERVER = resolve(__dirname, '../../server');

/** The table of allowed imports in server/README.md: part (a file or a folder) → parts and packages it may require. */
function allowedImports() {
  const readme = readFileSync(join(SERVER, 'README.md'), 'utf8');
  const rows = readme.matchAll(/^\|((?: `[a-z/]+`)+) \|[^|]*\|([^|]*)\|$/gm);
  const words = (/** @type {string} */ cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  return new Map([...rows].flatMap(([, parts, may]) => words(parts).map((part) => [part, words(may)])));
}

const table = allowedImports();

/** The innermost row that a file belongs to. @param {string} path under server/ @returns {string | undefined} */
const partOf = (path) => {
  const name = relative(SERVER, path).replace(/\.js$/, '');
  const parts = [...table.keys()].filter((part) => `${name}/`.startsWith(`${part}/`));
  return parts.sort((a, b) => b.length - a.length)[0];
};

const FILES = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));

/** @param {string} name of a file under server/ */
const textOf = (name) => readFileSync(join(SERVER, name), 'utf8');

/** @returns {{ from: string, to: string, file: string }[]} requires between parts, and of packages */
function imports() {
  return FILES.flatMap((name) => {
    const file = join(SERVER, name);
    const required = textOf(name).matchAll(/\brequire\('([^']+)'\)/g);
    return [...required].map(([, target]) => ({
      from: String(partOf(file)),
      to: target.startsWith('.') ? String(partOf(resolve(dirname(file), target))) : target,
      file: name,
    }));
  });
}

describe('imports of server/', () => {
  test('every file belongs to a row of the README, and every row has a file', () => {
    const parts = FILES.map((name) => partOf(join(SERVER, name)) ?? name);
    expect([...new Set(parts)].sort()).toEqual([...table.keys()].sort());
  });

  test('a part requires only what its row allows', () => {
    const forbidden = imports().filter(
      ({ from, to }) => !to.startsWith('node:') && to !== from && !table.get(from)?.includes(to),
    );
    expect(forbidden).toEqual([]);
  });

  test('a row allows nothing that is not used', () => {
    const used = new Set(imports().map(({ from, to }) => `${from} → ${to}`));
    const unused = [...table].flatMap(([from, may]) =>
      may.map((to) => `${from} → ${to}`).filter((rule) => !used.has(rule)),
    );
    expect(unused).toEqual([]);
  });

  test('only config.js reads the environment', () => {
    const readers = FILES.filter((name) => /process\.env/.test(textOf(name)));
    expect(readers).toEqual(['config/config.js']);
  });
});

describe('undocumented fields of Node and pg', () => {
  /** Any field that begins with an underscore, and these. */
  const NODE = ['shouldKeepAlive', 'parser', 'incoming', 'closeIdleConnections', 'destroySoon = '];
  const PG = [
    ...['connection', 'connectionParameters', 'stream', 'attachListeners', 'parsedStatements'],
    ...['submittedNamedStatements', 'hasBeenParsed'],
  ];
  const used = new RegExp(`\\._\\w|\\{ _\\w|pg-protocol|\\.(?:${[...NODE, ...PG].join('|')})(?!\\w)`);
  const isInternal = (/** @type {string} */ name) => name.startsWith('internals/');

  test('are used in internals/ only', () => {
    expect(FILES.filter((name) => !isInternal(name) && used.test(textOf(name)))).toEqual([]);
  });

  test('come with the versions that they were checked on and a test of the bytes', () => {
    for (const name of FILES.filter(isInternal)) {
      const text = textOf(name).replace(/\n \* /g, ' ');
      expect([name, text]).toEqual([name, expect.stringMatching(/Checked on (?:Node|pg) \d+\.\d+/)]);
      const [, tests] = /Byte tests?: (.*?\.test\.js)\./.exec(text) ?? [];
      expect(tests?.split(', ').filter((test) => existsSync(join(SERVER, '..', test)))).toEqual(tests.split(', '));
    }
  });
});
