'use strict';
const { helpText, parseStartOptions } = require('./lib/options');
const { startStack } = require('./lib/stack');
const { exitWith, untilSignal } = require('./lib/command-line');

/** @param {string} line */
const say = (line) => console.log(line);

/** Starts the stack, stays until a signal, stops it. @returns {Promise<number>} exit status */
async function main() {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) {
    say(helpText());
    return 0;
  }
  const signal = untilSignal();
  const halted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  process.stdout.on('error', () => {}); // a closed terminal must not stop the stop
  const stack = await startStack(options, { say, signal }).catch((error) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (!stack) {
    say('stopped');
    return 0;
  }
  say(`ready ${stack.url}`);
  const alive = setInterval(() => {}, 2 ** 30); // nothing else here keeps the event loop busy with external servers
  await halted;
  clearInterval(alive);
  say('stopping');
  await stack.stop();
  say('stopped');
  return 0;
}

exitWith(main());
