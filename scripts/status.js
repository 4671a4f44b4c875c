'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { showLoads } = require('./lib/commands');
const { get } = require('./lib/probe');
const { runTool } = require('./lib/run');
const { root } = require('./lib/runtime');
const { describeState } = require('./lib/state');

/** @param {string} name @param {string} url */
async function answer(name, url) {
  const { status, body } = await get(url);
  console.log(`${name.padEnd(14)}${status === 200 ? 'ok' : `NOT OK (${status || body})`}  ${url}`);
  return status === 200;
}

/** Tells how each part of a stack is. @returns {Promise<number>} 0 when all of them answer */
async function main() {
  const { values } = parseArgs({ options: { state: { type: 'string', default: '.state' } } });
  const cwd = values.state === '.state' ? root : (process.env.INIT_CWD ?? process.cwd());
  const state = describeState(path.resolve(cwd, values.state));
  const file = path.join(state.dir, 'stack.json');
  if (!fs.existsSync(file)) throw new Error(`no stack runs on ${state.dir}: npm start`);
  const { url, loaderDsn, workerPorts, adminPorts } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const results = [await answer('public', `${url}/products?count=1`)];
  for (const [index, port] of adminPorts.entries()) {
    results.push(await answer(`worker ${workerPorts[index]}`, `http://127.0.0.1:${port}/readyz`));
  }
  const env = { ...process.env, LOADER_DATABASE_URL: loaderDsn };
  const { status } = await runTool(showLoads(), { env });
  return results.every(Boolean) && status === 0 ? 0 : 1;
}

main().then(
  (status) => process.exit(status),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
