'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { scripts } = require('../../package.json');
const { newState, processesOf, startStack, workerPids } = require('../helpers/stack');

test('npm run dev restarts its worker when a file is saved, and Ctrl-C ends all of it', async () => {
  const state = newState();
  const [, words] = /bootstrap\.js start (.*)/.exec(scripts.dev) ?? [];
  const stack = await startStack({ state, words: words.split(' ') });
  const [first, ...others] = workerPids(state);
  expect(others).toEqual([]);
  const now = new Date();
  fs.utimesSync(path.join(root, 'server/index.js'), now, now); // as an editor does
  const isNew = () => workerPids(state).some((pid) => pid > 0 && pid !== first);
  expect(await waitUntil(isNew, 60_000)).toBe(true);
  const answers = () => fetch(`${stack.url}/products/1`).then(({ status }) => status === 200);
  expect(await waitUntil(answers, 60_000)).toBe(true);
  expect(await stack.stop('SIGINT')).toBe(0);
  expect(processesOf(state)).toEqual([]);
}, 180_000);
