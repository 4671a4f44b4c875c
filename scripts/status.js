'use strict';
const { showLoads } = require('./lib/commands');
const { get } = require('./lib/probe');
const { runTool } = require('./lib/run');
const { runningStack, stateFolder } = require('./lib/state');
const { exitWith, parseWords } = require('./lib/usage');

const help = `npm run status -- [--state DIR]

Tells how each part of the running stack is, and its loads. Ends with status 1 when a part is not well.

  --state DIR   folder of the running stack (default .state of the clone)
  --help        this text`;

/** @param {string} name @param {string} url */
async function answer(name, url) {
  const { status, body } = await get(url);
  console.log(`${name.padEnd(14)}${status === 200 ? 'ok' : `NOT OK (${status || body})`}  ${url}`);
  return status === 200;
}

/** Tells how each part of a stack is. @returns {Promise<number>} 0 when all of them answer */
async function main() {
  const { values } = parseWords('npm run status', {
    options: { state: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const { url, loaderDsn, workerPorts, adminPorts } = runningStack(stateFolder(values.state));
  const results = [await answer('public', `${url}/products?count=1`)];
  for (const [index, port] of adminPorts.entries()) {
    results.push(await answer(`worker ${workerPorts[index]}`, `http://127.0.0.1:${port}/readyz`));
  }
  const env = { ...process.env, LOADER_DATABASE_URL: loaderDsn };
  const { status } = await runTool(showLoads(), { env });
  return results.every(Boolean) && status === 0 ? 0 : 1;
}

exitWith(main());
