'use strict';

const fs = require('node:fs');
const path = require('node:path');

const folder = path.join(__dirname, '../../nginx');
const shared = ['../server/core/errors', '../server/core/policy'];
/** By the example that receives webhooks. */
const bought = ['standardwebhooks'];

test('nginx/ requires only Node, its own files, those of workers, and the library of webhooks', () => {
  const required = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => {
      const targets = fs.readFileSync(path.join(folder, name), 'utf8').matchAll(/\brequire\('([^']+)'\)/g);
      return [...targets].map(([, target]) => ({ name, target }));
    });
  expect(required.length).toBeGreaterThan(0);
  expect(
    required.filter(({ target }) => !/^(node:|\.\/)/.test(target) && ![...shared, ...bought].includes(target)),
  ).toEqual([]);
});

test.each(shared)('%s requires nothing', (target) => {
  expect(fs.readFileSync(`${path.join(folder, target)}.js`, 'utf8')).not.toMatch(/\brequire\(/);
});
