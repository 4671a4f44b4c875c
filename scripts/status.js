'use strict';
const { runLoader } = require('./lib/commands');
const { environment } = require('./lib/environment');
const { lackOf } = require('./lib/floors');
const { get } = require('./lib/probe');
const { runTool } = require('./lib/run');
const { printMissed } = require('./local/missed-words');
const { runningStack, stateFolder, stateOption } = require('./local/state');
const { runCommand, toggle } = require('./lib/words');

/**
 * @param {string} name @param {string} url
 * @param {(body: string) => { fault: string, more: string }} [look] at a correct reply; no `fault`: it is ok
 */
async function answer(name, url, look = () => ({ fault: '', more: '' })) {
  const { status, body } = await get(url);
  const { fault, more } = status === 200 ? look(body) : { fault: status || body, more: status ? body : '' };
  console.log(`${name.padEnd(14)}${fault ? `NOT OK (${fault})` : 'ok'}  ${url}  ${more}`.trimEnd());
  return !fault;
}

/** A worker without Redis is ready, but a part of the stack is down. @param {string} body of /readyz */
function partsOf(body) {
  const { database, cache, version } = JSON.parse(body);
  const fault = cache === 'up' ? '' : `cache ${cache}`;
  return { fault, more: `database ${database}, cache ${cache}, version ${version}` };
}

const about =
  'Shows the state of each part of the running stack, and its loads. Ends with status 1 when a part is down.';
const options = { missed: toggle('show the words that searches did not find instead'), state: stateOption };

runCommand('npm run status', { help: { about }, options }, async ({ values }) => {
  const stack = runningStack(stateFolder(values.state));
  if (values.missed) return printMissed(stack);
  const readyz = (/** @type {number} */ port) => `http://127.0.0.1:${port}/readyz`;
  const results = [];
  for (const base of stack.httpsUrl ? [stack.url, stack.httpsUrl] : [stack.url])
    results.push(await answer('public', `${base}/products?count=1`));
  for (const [index, port] of stack.adminPorts.entries())
    results.push(await answer(`worker ${stack.workerPorts[index]}`, readyz(port), partsOf));
  const [port, adminPort] = stack.writePorts ?? []; // a stack of an earlier release has none
  if (port) results.push(await answer(`writer ${port}`, readyz(adminPort)));
  for (const line of (stack.programs ?? []).map(lackOf).filter(Boolean)) console.log(line);
  const env = environment('loader', { LOADER_DATABASE_URL: stack.loaderDsn });
  const { status } = await runTool(runLoader('status'), { env });
  return results.every(Boolean) && status === 0 ? 0 : 1;
});
