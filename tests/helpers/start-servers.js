'use strict';
const { startTestServers } = require('./test-servers');

/*
 * Servers for a lone test file: Jest calls this before all (jest.config.js). pytest runs it as a program (etl/conftest.py), which prints
 * the environment of tests, and stops the servers when its input ends. Under npm test they run already.
 */
module.exports = async () => {
  if (process.env.TEST_DATABASE_URL) return;
  const { env, stop } = await startTestServers();
  Object.assign(process.env, env);
  Object.assign(globalThis, { stopTestServers: stop });
};

if (require.main === module)
  startTestServers().then(({ env, stop }) => {
    console.log(JSON.stringify(env));
    process.stdin.resume().once('end', () => void stop());
  });
