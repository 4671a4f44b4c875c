'use strict';
const { useLoads } = require('../../helpers/loads');

const { a, b, command, start, state } = useLoads();

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
