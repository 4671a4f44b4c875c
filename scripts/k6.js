'use strict';
const path = require('node:path');
const { root } = require('./lib/runtime');
const { exitWith, untilSignal } = require('./lib/command-line');
const { helpText, parseOptions } = require('./k6/options');
const { reasonsOf, writeRun } = require('./k6/report');
const { runTest } = require('./k6/run');

/** @param {string[]} words @returns {Promise<number | void>} exit status */
async function main(words) {
  const options = parseOptions(words);
  if ('help' in options) return void console.log(helpText());
  const run = await runTest(options, (line) => console.error(line), untilSignal());
  const { file, text } = writeRun(run);
  console.log(`${text}\n${path.relative(root, file)}`);
  return reasonsOf(run).length > 0 ? 1 : 0;
}

exitWith(main(process.argv.slice(2)), { failed: 2 });
