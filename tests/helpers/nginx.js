'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { inspect, lackOf } = require('../../scripts/lib/floors');
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

/** @returns {string | false} why HTTP/2 is not offered, so that its tests are skipped */
const noHttp2 = () => lackOf(inspect('nginx', binaries().nginx)).split(': ')[0] || false;

module.exports = { noHttp2, runNginx };
