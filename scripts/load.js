'use strict';
const { fromCallersFolder, loadCatalog } = require('./lib/commands');
const { runLoading } = require('./lib/run');
const { describeState, runningStack, stateFolder, stateOption } = require('./local/state');
const { fromCaller, untilSignal } = require('./lib/command-line');
const { loadOptions, requireLoaderOptions } = require('./local/start-options');
const { runCommand } = require('./lib/words');

const help = {
  about: 'Loads the six CSVs of DIR into the running stack and swaps. Until then the old catalog is served.',
};
const config = { help, words: ['DIR'], further: loadOptions, options: { state: stateOption } };

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
