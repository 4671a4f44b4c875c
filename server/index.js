'use strict';

const { loadConfig, prepareAgent } = require('./config/config');
const { runProgram } = require('./program');

/** A worker. */
runProgram(() => {
  const config = loadConfig();
  // Not at the top: the agent patches modules as they are loaded, so it must come before them, and
  // without a key it would patch everything and then print a stack trace.
  if (config.NEW_RELIC_LICENSE_KEY) {
    prepareAgent(config);
    // @ts-expect-error the package has no types
    require('newrelic');
  }
  const { createService } = require('./service');
  return createService(config);
}, 'PORT and ADMIN_PORT');
