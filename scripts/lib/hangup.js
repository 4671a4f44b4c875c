'use strict';
const tty = require('node:tty');

/**
 * SIGHUP says that the terminal is gone. Under nohup it is to be ignored, but Node has reset that before any of our code runs. What can
 * still be seen is that nohup leaves no terminal on standard input, output and error; without one, the signal is about another's.
 */
const hasTerminal = [0, 1, 2].some((fd) => tty.isatty(fd));

/** What ends a command. */
const endingSignals = /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', ...(hasTerminal ? ['SIGHUP'] : [])]);

/** Call it in each process of a command that a closing terminal would reach, or the signal ends it. */
function outliveTerminal() {
  if (!hasTerminal) process.on('SIGHUP', () => {});
  // With the terminal goes the place to say things. The work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

module.exports = { endingSignals, outliveTerminal };
