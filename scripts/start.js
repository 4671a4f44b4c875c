'use strict';
const { help, parseStartOptions } = require('./local/start-options');
const { startStack } = require('./local/stack');
const { exitWith, interruptedStatus, untilSignal } = require('./lib/command-line');
const { waitUntil } = require('./lib/wait-until');

/** Starts the stack, stays until a signal, stops it. @returns {Promise<number | void>} exit status */
async function main() {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) return console.log(help);
  const signal = untilSignal();
  const stack = await startStack(options, { say: console.log, signal }).catch((error) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (!stack) {
    console.log('stopped');
    return interruptedStatus;
  }
  for (const url of stack.urls) console.log(`ready ${url}`); // programs read the first line: http
  if (stack.writer) console.log(`writer ${stack.writer}`);
  // The timer also keeps the event loop alive, which with external servers nothing else does.
  await waitUntil(() => signal.aborted || !stack.isWhole(), Infinity);
  const bySignal = signal.aborted;
  if (!bySignal)
    console.error(`${options.state} was removed while the stack ran, and its data with it: npm start recreates it`);
  console.log('stopping');
  await stack.stop();
  console.log('stopped');
  return bySignal ? 0 : 1;
}

exitWith(main());
