'use strict';
const fs = require('node:fs');
const { useLoads } = require('../../helpers/loads');

const { a, b, command, dir, explainsKilled, start, state } = useLoads();

test('files that are served are loaded again only with --fresh', async () => {
  expect([await start(a), await start(a), await start(b)]).toEqual(['loads', 'has it', 'loads']);
  expect(command('load.js', '--state', state.dir, a).status).toBe(0);
  expect(await start(a)).toBe('has it');
  expect(await start(a, { fresh: true })).toBe('loads');
}, 120_000);

test('files are loaded again after a dry run, an unswap and a load with another campus', async () => {
  expect(await start(b)).toBe('loads');
  expect(command('load.js', '--state', state.dir, a, '--', '--dry-run').status).toBe(0);
  expect(await start(a)).toBe('loads'); // a dry run is not a load
  expect(command('etl.js', '--state', state.dir, 'unswap').status).toBe(0);
  expect(await start(a)).toBe('loads');
  expect(command('load.js', '--state', state.dir, a, '--', '--campus=nyc').status).toBe(0);
  expect(await start(a, { loader: ['--campus', 'nyc'] })).toBe('has it');
  expect(await start(a)).toBe('loads'); // now with the campus of npm start
}, 240_000);

test('a path in npm run etl is relative to the folder where it was typed', () => {
  const words = ['load', 'a', '--dry-run', '--rejects', 'typed'];
  expect(command('etl.js', '--state', 'state', ...words).status).toBe(0);
  expect(fs.readdirSync(dir)).toContain('typed');
}, 60_000);

test('npm run etl explains that a signal killed the loader, with the command to repeat', () =>
  explainsKilled('etl.js', 'load'));
