'use strict';
const { fromCallersFolder, loadCatalog } = require('./lib/commands');
const { runLoading } = require('./lib/run');
const { describeState, runningStack, stateFolder } = require('./local/state');
const { fromCaller, untilSignal } = require('./lib/command-line');
const { loadOptions, requireLoaderOptions } = require('./local/loader-options');
const { runCommand, text } = require('./lib/words');

const help = `npm run load -- DIR [--state DIR] [-- options of the loader]

Loads the six CSVs of DIR into the running stack and swaps. Until then the old catalog is served.

  --state DIR   folder of the running stack (default .state of the clone)
  --help        this text`;

const config = { help, words: ['DIR'], further: loadOptions, options: { state: text() } };

runCommand('npm run load', config, async ({ values, positionals, further }) => {
  const more = requireLoaderOptions('npm run load -- DIR --', further);
  const data = fromCaller(positionals[0]);
  const state = describeState(stateFolder(values.state));
  const { loaderDsn } = runningStack(state.dir);
  return runLoading([...loadCatalog(data, state.rejects), ...more], {
    ...fromCallersFolder(loaderDsn, 'npm run load'),
    signal: untilSignal(),
  });
});
