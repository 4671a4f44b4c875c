'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { fingerprint, loadedFile } = require('./lib/catalog');
const { loadCatalog } = require('./lib/commands');
const { runTool } = require('./lib/run');
const { describeState } = require('./lib/state');
const { root } = require('./lib/runtime');

const help = `npm run load -- DIR [--state DIR] [-- options of the loader]

Loads the six CSVs of DIR into the running stack and swaps; what is served meanwhile stays served.`;

/** @returns {Promise<number>} exit status */
async function main() {
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { state: { type: 'string' }, help: { type: 'boolean' } },
  });
  const [dir, ...more] = positionals;
  if (values.help || !dir) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  const data = path.resolve(cwd, dir);
  const state = describeState(
    values.state ? path.resolve(cwd, values.state) : path.join(root, '.state'),
  );
  const file = path.join(state.dir, 'stack.json');
  if (!fs.existsSync(file)) throw new Error(`no stack runs on ${state.dir}: npm start first`);
  const wanted = fingerprint(data);
  const { loaderDsn } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const halt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => halt.abort());
  const { status } = await runTool([...loadCatalog(data, state.rejects), ...more], {
    env: { ...process.env, LOADER_DATABASE_URL: loaderDsn },
    signal: halt.signal,
  });
  // Else the next `npm start -- --data` of an older folder would take it for what is loaded.
  if (status === 0) fs.writeFileSync(loadedFile(state), wanted);
  return status;
}

main().then(
  (status) => process.exit(status),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
