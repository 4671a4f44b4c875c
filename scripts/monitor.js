'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { readInventory } = require('./lib/inventory');
const { UsageError } = require('./lib/options');
const { root } = require('./lib/runtime');
const { describeState } = require('./lib/state');
const { targetsOf, targetsOfStack } = require('./monitoring/targets');

const help = `npm run monitor -- targets [--inventory FILE | --state DIR] [--output FILE]

Tells what Prometheus shall scrape, one entry for each node, as its file_sd reads it.

  --inventory FILE   the workers of a fleet, as scripts/inventory.example.json lists them
  --state DIR        the workers of the stack that runs on this machine (default .state)
  --output FILE      where to; without it the list is printed, below what npm itself prints
  --help             this text

Rules, dashboard and the rest of Prometheus' configuration: scripts/monitoring/README.md`;

/** @param {string} dir of the state @returns {{ adminPorts: number[] }} */
function runningStack(dir) {
  const file = path.join(describeState(dir).dir, 'stack.json');
  if (!fs.existsSync(file)) {
    throw new UsageError(`no stack runs on ${dir}: npm start, or name the fleet: --inventory FILE`);
  }
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/**
 * Prometheus reads the file in the moment in which it changes: renamed into place, it is never half a list. The draft's
 * name is none that prometheus.yml looks for.
 * @param {string} file @param {string} text
 */
function writeWhole(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.new`;
  fs.writeFileSync(draft, text);
  fs.renameSync(draft, file);
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      inventory: { type: 'string' },
      state: { type: 'string', default: '.state' },
      output: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return void console.log(help);
  if (positionals.join() !== 'targets')
    throw new UsageError('say what: npm run monitor -- targets');
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const targets = values.inventory
    ? targetsOf(readInventory(path.resolve(cwd, values.inventory)))
    : targetsOfStack(
        runningStack(path.resolve(values.state === '.state' ? root : cwd, values.state)),
      );
  const text = JSON.stringify(targets, null, 2);
  if (values.output) writeWhole(path.resolve(cwd, values.output), `${text}\n`);
  else console.log(text);
}

try {
  main();
} catch (error) {
  console.error(`monitor: ${/** @type {Error} */ (error).message}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
