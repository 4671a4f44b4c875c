'use strict';

const { ConfigError, loadConfig, prepareAgent } = require('./config/config');

/** A stop that overruns its deadline by this much ends hard. */
const EXIT_MARGIN_MS = 2000;
/**
 * After an uncaught error: long enough for most reads under way (the failed one cannot be identified), and well within the 500 ms
 * after which nginx sends an unanswered request to the next worker (nginx/retries.js).
 */
const REFUSE_AFTER_MS = 100;

/** Runs one worker: starts it, reports it ready to the process manager, stops it on a signal. */
async function main() {
  const config = loadConfig();
  // Not at the top: the agent patches modules as they are loaded, so it must come before them, and
  // without a key it would patch everything and then print a stack trace.
  if (config.NEW_RELIC_LICENSE_KEY) {
    prepareAgent(config);
    // @ts-expect-error the package has no types
    require('newrelic');
  }
  const { createService } = require('./service');
  const service = createService(config);

  let stopping = false;
  /** @param {string} reason @param {number} exitCode */
  async function stop(reason, exitCode) {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), config.DRAIN_DEADLINE_MS + EXIT_MARGIN_MS).unref();
    await service.close(reason);
    process.exit(exitCode);
  }
  process.on('SIGINT', () => stop('SIGINT', 0));
  process.on('SIGTERM', () => stop('SIGTERM', 0));
  // Known failures are handled where they happen; after an unknown one the state cannot be trusted.
  process.on('uncaughtException', (error) => {
    service.log.fatal({ err: error }, 'unexpected error; the worker drains and exits');
    // The request that caused it would end the next worker too. nginx does not retry a 500.
    service.refuseUnderWay(error, REFUSE_AFTER_MS);
    // A second error does not cut the drain short: its request must be answered here too.
    if (!stopping) stop('uncaughtException', 1);
  });

  await service.open();
  service.log.info({ ...service.ports, host: config.HOST, ...service.health().parts }, 'listening');
  process.send?.('ready');
}

/** @param {Error & { code?: string, address?: string, port?: number }} error */
function explain(error) {
  if (error instanceof ConfigError) return error.message;
  if (error.code === 'EADDRINUSE')
    return `${error.address?.replace(/.*:.*/, '[$&]')}:${error.port} is in use. Stop what listens there, or set PORT and ADMIN_PORT.`;
  if (error.code === 'EACCES') return `${error.message}. Use a port above 1023.`;
  return error.stack ?? String(error);
}

main().catch((error) => {
  console.error(explain(error));
  process.exit(1);
});
