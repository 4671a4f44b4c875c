'use strict';
const { helpText, parseStartOptions } = require('./lib/options');
const { startStack } = require('./lib/stack');
const { exitWith } = require('./lib/usage');

/** @param {string} line */
const say = (line) => console.log(line);

/** Starts the stack, stays until a signal, stops it. @returns {Promise<number>} exit status */
async function main() {
  const options = parseStartOptions(process.argv.slice(2));
  if (options.help) {
    say(helpText());
    return 0;
  }
  const halt = new AbortController();
  const halted = new Promise((resolve) => halt.signal.addEventListener('abort', resolve));
  // npm, the bootstrap and the terminal may each pass the signal on: the second means no more than the first.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => halt.abort());
  process.stdout.on('error', () => {}); // a closed terminal must not stop the stop
  const stack = await startStack(options, { say, signal: halt.signal }).catch((error) => {
    if (halt.signal.aborted) return null;
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
