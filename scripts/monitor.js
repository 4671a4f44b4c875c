'use strict';
const { runningStack, stateFolder, stateOption } = require('./local/state');
const { requireOneOf, runCommand } = require('./lib/words');

const group = (/** @type {number[]} */ ports, /** @type {Record<string, string>} */ labels = {}) => ({
  targets: ports.map((port) => `127.0.0.1:${port}`),
  labels: { node: 'localhost', ...labels },
});

const help = {
  about:
    "Prints the workers and the writer of the stack that runs on this machine, in the format of Prometheus' file_sd: npm run -s monitor -- targets >FILE. In a fleet, monitors get theirs from the inventory.",
  more: "Rules, dashboard and the rest of Prometheus' configuration: scripts/monitoring/README.md",
};
const options = { state: stateOption };

runCommand('npm run monitor', { help, words: ['targets'], options }, async ({ values, positionals }) => {
  requireOneOf('action', positionals[0], ['targets']);
  const { adminPorts, writePorts: [, writer] = [] } = runningStack(stateFolder(values.state));
  const groups = [group(adminPorts), ...(writer ? [group([writer], { job: 'catalog-writer' })] : [])];
  console.log(JSON.stringify(groups, null, 2));
});
