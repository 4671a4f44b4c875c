'use strict';

const { readFileSync, readdirSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');

const SERVER = resolve(__dirname, '../../server');

/** The table of allowed imports in server/README.md: part (a file or a folder) → parts and packages it may require. */
function allowedImports() {
  const readme = readFileSync(join(SERVER, 'README.md'), 'utf8');
  const rows = readme.matchAll(/^\| `([a-z/]+?)\/?` *\|[^|]*\|([^|]*)\|$/gm);
  return new Map([...rows].map(([, part, may]) => [part, [...may.matchAll(/`([^`]+?)\/?`/g)].map((m) => m[1])]));
}

const table = allowedImports();

/** The innermost row that a file belongs to. @param {string} path under server/ @returns {string | undefined} */
const partOf = (path) => {
  const name = relative(SERVER, path).replace(/\.js$/, '');
  const parts = [...table.keys()].filter((part) => `${name}/`.startsWith(`${part}/`));
  return parts.sort((a, b) => b.length - a.length)[0];
};

/** @returns {{ from: string, to: string, file: string }[]} requires between parts, and of packages */
function imports() {
  const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  return files.flatMap((name) => {
    const file = join(SERVER, name);
    const required = readFileSync(file, 'utf8').matchAll(/\brequire\('([^']+)'\)/g);
    return [...required].map(([, target]) => ({
      from: String(partOf(file)),
      to: target.startsWith('.') ? String(partOf(resolve(dirname(file), target))) : target,
      file: name,
    }));
  });
}

describe('imports of server/', () => {
  test('every file belongs to a row of the README, and every row has a file', () => {
    const names = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    const parts = names.map((name) => partOf(join(SERVER, name)) ?? name);
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
    const readers = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.js') && /process\.env/.test(readFileSync(join(SERVER, name), 'utf8')),
    );
    expect(readers).toEqual(['config/config.js']);
  });
});
