'use strict';
const tty = require('node:tty');

/**
 * SIGHUP means that the terminal closed. nohup ignores it, but Node resets that before our code runs. What remains visible: under nohup
 * none of standard input, output and error is a terminal.
 */
const hasTerminal = [0, 1, 2].some((fd) => tty.isatty(fd));

/** What ends a command. */
const endingSignals = /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', ...(hasTerminal ? ['SIGHUP'] : [])]);

/** Call it in each process of a command that a closing terminal would reach, or the signal ends it. */
function outliveTerminal() {
  if (!hasTerminal) process.on('SIGHUP', () => {});
  // Without a terminal, output fails. The work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

module.exports = { endingSignals, outliveTerminal };
