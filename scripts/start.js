'use strict';
const { helpText, parseStartOptions } = require('./lib/start-options');
const { startStack } = require('./lib/stack');
const { exitWith, untilSignal } = require('./lib/command-line');

/** @param {string} line */
const say = (line) => console.log(line);

/** Starts the stack, stays until a signal, stops it. */
async function main() {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) return say(helpText());
  const signal = untilSignal();
  const halted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  const stack = await startStack(options, { say, signal }).catch((error) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (!stack) return say('stopped');
  for (const url of stack.urls) say(`ready ${url}`); // programs read the first line: http
  const alive = setInterval(() => {}, 2 ** 30); // with external servers nothing else here keeps the event loop alive
  await halted;
  clearInterval(alive);
  say('stopping');
  await stack.stop();
  say('stopped');
}

exitWith(main());
