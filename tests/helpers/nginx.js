'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { spawnDaemon, stopPid } = require('../../scripts/lib/process');
const { binaries } = require('../../scripts/lib/runtime');
const { until } = require('./app');

/**
 * Runs nginx with a text of renderNginx whose `work` and `logs` are the folder.
 * @param {string} dir nginx's own workers, "nobody" when the test is root, pass through it
 * @param {string} text of nginx.conf
 * @returns {Promise<{ stop: () => Promise<unknown> }>} after it listens
 */
async function runNginx(dir, text) {
  fs.chmodSync(dir, 0o711);
  const [config, log] = ['nginx.conf', 'nginx-error.log'].map((name) => path.join(dir, name));
  fs.writeFileSync(config, text);
  const { pid } = await spawnDaemon([binaries().nginx, '-p', `${dir}/`, '-e', log, '-c', config], { log });
  await until(() => fs.existsSync(path.join(dir, 'nginx.pid')));
  return { stop: () => stopPid(pid, 'SIGTERM', 5000) };
}

exports.runNginx = runNginx;
