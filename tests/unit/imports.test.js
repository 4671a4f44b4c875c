'use strict';

const { readFileSync, readdirSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');

const SERVER = resolve(__dirname, '../../server');

/** The table of allowed imports in server/README.md: part → parts it may require. */
function allowedImports() {
  const readme = readFileSync(join(SERVER, 'README.md'), 'utf8');
  const rows = readme.matchAll(/^\| `([a-z]+)` *\|[^|]*\|([^|]*)\|$/gm);
  return new Map([...rows].map(([, part, may]) => [part, [...may.matchAll(/`([^`]+?)\/?`/g)].map((m) => m[1])]));
}

/** @param {string} path of a file under server/ @returns {string} the part it belongs to */
const partOf = (path) => relative(SERVER, path).split('/')[0].replace(/\.js$/, '');

/** @returns {{ from: string, to: string, file: string }[]} requires between parts, and of packages */
function imports() {
  const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  return files.flatMap((name) => {
    const file = join(SERVER, name);
    const required = readFileSync(file, 'utf8').matchAll(/\brequire\('([^']+)'\)/g);
    return [...required].map(([, target]) => ({
      from: partOf(file),
      to: target.startsWith('.') ? partOf(resolve(dirname(file), target)) : target,
      file: name,
    }));
  });
}

describe('imports of server/', () => {
  const table = allowedImports();

  test('the README lists every part', () => {
    const parts = readdirSync(SERVER).filter((name) => !/\.(md|json)$/.test(name));
    expect([...table.keys()].sort()).toEqual(parts.map((name) => name.replace(/\.js$/, '')).sort());
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
    const readers = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.js') && /process\.env/.test(readFileSync(join(SERVER, name), 'utf8')),
    );
    expect(readers).toEqual(['config.js']);
  });
});
