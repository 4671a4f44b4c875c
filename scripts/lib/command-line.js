'use strict';
const path = require('node:path');
const tty = require('node:tty');

/** Wrong usage, or a refusal before anything was changed. It is printed without a stack. */
class UsageError extends Error {}

/** A tool failed, and its own last line says why. Nothing more is printed. */
class Explained extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`ended with status ${status}`);
    this.status = status;
  }
}

/** The folder in which the command was typed; npm changes to the clone. @returns {string} */
const callerFolder = () => process.env.INIT_CWD ?? process.cwd();

/** @param {string} typed a path @returns {string} absolute */
const fromCaller = (typed) => path.resolve(callerFolder(), typed);

/**
 * @param {string} name of the option @param {string} text @param {number} max @param {number} [min]
 * @returns {number} from `min` to `max` @throws {UsageError}
 */
function wholeNumber(name, text, max, min = 1) {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < min || value > max) {
    throw new UsageError(`--${name} ${text}: must be a whole number from ${min} to ${max}`);
  }
  return value;
}

/**
 * SIGHUP means that the terminal closed. nohup ignores it, but Node resets that before our code runs. What remains visible: under nohup
 * none of standard input, output and error is a terminal.
 */
const hasTerminal = [0, 1, 2].some((fd) => tty.isatty(fd));

const endingSignals = /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', ...(hasTerminal ? ['SIGHUP'] : [])]);

/** Call it in each process of a command that a closing terminal would reach, or the signal ends it. */
function outliveTerminal() {
  if (!hasTerminal) process.on('SIGHUP', () => {});
  // Without a terminal, output fails. The work continues.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** As a shell reports Ctrl-C. */
const interruptedStatus = 130;

/**
 * Aborted at the first signal. npm, the bootstrap and the terminal may each send it; later ones change nothing.
 * @returns {AbortSignal}
 */
function untilSignal() {
  const halt = new AbortController();
  for (const name of endingSignals) process.on(name, () => halt.abort());
  return halt.signal;
}

/** @param {Error} error @returns {string} with its stack when DEBUG is set, but for a refusal */
const textOf = (error) => (process.env.DEBUG && !(error instanceof UsageError) && error.stack) || error.message;

/**
 * Ends a command after its output was read: process.exit alone cuts off what a slow reader has not read.
 * @param {Promise<number | void>} done its exit status; without one 0
 * @param {{ failed?: number }} [options] 2 where 1 means that a target was missed
 */
async function exitWith(done, { failed = 1 } = {}) {
  outliveTerminal();
  const status = await done.catch((error) => {
    if (error instanceof Explained) return error.status;
    console.error(textOf(error));
    return error instanceof UsageError ? 2 : failed;
  });
  process.stdout.write('', () => process.stderr.write('', () => process.exit(status ?? 0)));
}

module.exports = {
  Explained,
  UsageError,
  callerFolder,
  endingSignals,
  exitWith,
  fromCaller,
  interruptedStatus,
  outliveTerminal,
  textOf,
  untilSignal,
  wholeNumber,
};
