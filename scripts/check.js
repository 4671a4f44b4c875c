'use strict';
const { checks } = require('./lib/commands');
const { runTool } = require('./lib/run');
const { exitWith, untilSignal } = require('./lib/command-line');
const { parseWords } = require('./lib/words');

const help = `npm run check

Runs eslint, prettier, tsc, ruff, mypy, shellcheck and a check of the READMEs' prose, all of them even when one fails.

  --help   this text`;

/** Runs every check even after one failed, so that you can fix all of them together. @returns {Promise<number | void>} exit status */
async function main() {
  const { values } = parseWords('npm run check', { options: { help: { type: 'boolean' } } });
  if (values.help) return void console.log(help);
  const signal = untilSignal();
  const failed = [];
  for (const { name, command } of checks()) {
    const { status, output } = await runTool(command, { keepOutput: true, signal });
    if (signal.aborted) return 1;
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    if (status !== 0) console.log(output.trim());
    if (status !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

exitWith(main());
