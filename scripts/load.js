'use strict';
const { describeFiles, rememberLoaded, servedLoad } = require('./lib/catalog');
const { fromCallersFolder, loadCatalog } = require('./lib/commands');
const { runTool } = require('./lib/run');
const { describeState, runningStack, stateFolder } = require('./lib/state');
const { exitWith, fromCaller, parseWords, untilSignal, UsageError } = require('./lib/command-line');

const help = `npm run load -- DIR [--state DIR] [-- options of the loader]

Loads the six CSVs of DIR into the running stack and swaps; what is served meanwhile stays served.

  --state DIR   folder of the running stack (default .state of the clone)
  --help        this text`;

/** @returns {Promise<number | void>} exit status */
async function main() {
  const { values, positionals } = parseWords('npm run load', {
    allowPositionals: true,
    options: { state: { type: 'string' }, help: { type: 'boolean' } },
  });
  const [dir, ...more] = positionals;
  if (values.help) return void console.log(help);
  if (!dir) throw new UsageError(help);
  const data = fromCaller(dir);
  const state = describeState(stateFolder(values.state));
  const { loaderDsn } = runningStack(state.dir);
  const wanted = describeFiles(data);
  const before = await servedLoad(loaderDsn);
  const { status } = await runTool([...loadCatalog(data, state.rejects), ...more], {
    ...fromCallersFolder(loaderDsn),
    signal: untilSignal(),
  });
  const load = status === 0 ? await servedLoad(loaderDsn) : before; // the same after a dry run
  const ownCampus = more.some((word) => word.startsWith('--ca')); // argparse takes --camp as well; npm start knows CAMPUS only
  if (load !== before && !ownCampus) rememberLoaded(state, wanted, load);
  return status;
}

exitWith(main());
