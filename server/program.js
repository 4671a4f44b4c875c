'use strict';

const { ConfigError } = require('./config/config');

/** A stop that overruns its deadline by this much ends hard. */
const EXIT_MARGIN_MS = 2000;
/**
 * After an uncaught error: long enough for most requests under way (the failed one cannot be identified), and well within the 500 ms
 * after which nginx sends an unanswered request to the next worker (nginx/retries.js).
 */
const REFUSE_AFTER_MS = 100;

/**
 * @typedef {object} Service what a program runs
 * @property {import('./config/config').Config} config
 * @property {import('./observe/log').Log} log
 * @property {() => { parts: object }} health
 * @property {object} ports
 * @property {() => Promise<void>} open
 * @property {(reason: string) => Promise<void>} close
 * @property {(error: unknown, afterMs: number) => void} refuseUnderWay
 */

/**
 * Runs a program as a process: starts it, reports it ready to the process manager, stops it on a signal.
 * @param {() => Service} create @param {string} ports names of the settings that move its ports
 */
async function runProgram(create, ports) {
  try {
    const service = create();
    stopOnSignals(service);
    await service.open();
    service.log.info({ ...service.ports, host: service.config.HOST, ...service.health().parts }, 'listening');
    process.send?.('ready');
  } catch (error) {
    console.error(explain(/** @type {Error} */ (error), ports));
    process.exit(1);
  }
}

/** @param {Service} service */
function stopOnSignals(service) {
  let stopping = false;
  /** @param {string} reason @param {number} exitCode */
  async function stop(reason, exitCode) {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), service.config.DRAIN_DEADLINE_MS + EXIT_MARGIN_MS).unref();
    await service.close(reason);
    process.exit(exitCode);
  }
  process.on('SIGINT', () => stop('SIGINT', 0));
  process.on('SIGTERM', () => stop('SIGTERM', 0));
  // Known failures are handled where they happen; after an unknown one the state cannot be trusted.
  process.on('uncaughtException', (error) => {
    service.log.fatal({ err: error }, 'unexpected error; the process drains and exits');
    // The request that caused it would end the next worker too. nginx does not retry a 500.
    service.refuseUnderWay(error, REFUSE_AFTER_MS);
    // A second error does not cut the drain short: its request must be answered here too.
    if (!stopping) stop('uncaughtException', 1);
  });
}

/** @param {Error & { code?: string, address?: string, port?: number }} error @param {string} ports */
function explain(error, ports) {
  if (error instanceof ConfigError) return error.message;
  if (error.code === 'EADDRINUSE')
    return `${error.address?.replace(/.*:.*/, '[$&]')}:${error.port} is in use. Stop what listens there, or set ${ports}.`;
  if (error.code === 'EACCES') return `${error.message}. Use a port above 1023.`;
  return error.stack ?? String(error);
}

exports.runProgram = runProgram;
