'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { inState, makeFolders, runningStack, stateFolder } = require('./local/state');
const { fromCaller } = require('./lib/command-line');
const { requireOneOf, runCommand, text } = require('./lib/words');
const { targetsOfStack } = require('./monitoring/targets');

const help = `npm run monitor -- targets [--state DIR] [--output FILE]

Lists the workers and the writer of the stack that runs on this machine, in the format of Prometheus' file_sd. In a fleet, monitors get
theirs from the inventory.

  --state DIR     folder of the stack (default .state of the clone)
  --output FILE   replaces this file in one step; without it the list is printed, below the lines of npm itself
  --help          this text

Rules, dashboard and the rest of Prometheus' configuration: scripts/monitoring/README.md`;

/**
 * Prometheus reads the file as soon as it changes, so a rename replaces it. prometheus.yml does not match the name of
 * the draft.
 * @param {string} file @param {string} text
 */
function writeWhole(file, text) {
  const draft = `${file}.new`;
  const write = () => {
    makeFolders(path.dirname(file));
    fs.writeFileSync(draft, text);
    fs.renameSync(draft, file);
  };
  inState(file, write, 'choose another FILE with --output');
}

const options = { state: text(), output: text() };

runCommand('npm run monitor', { help, words: ['targets'], options }, async ({ values, positionals }) => {
  requireOneOf('action', positionals[0], ['targets']);
  const targets = targetsOfStack(runningStack(stateFolder(values.state)));
  const list = JSON.stringify(targets, null, 2);
  if (values.output) writeWhole(fromCaller(values.output), `${list}\n`);
  else console.log(list);
});
