'use strict';
const { strict: assert } = require('node:assert');

const { get } = require('./ask');

/** @typedef {import('./ask').Run} Run */

/**
 * Checks of a node's isolation and priorities.
 * @type {Record<string, (run: Run) => void>}
 */
const hardening = {
  'only expected sockets listen': (run) => void run('catalog-listening'),
  'no process list, log or readable file has a password': (run) => {
    const lines = run('cut -d " " -f 2 /etc/catalog/inventory/group_vars/all/secrets.yml').trim().split('\n');
    assert.equal(lines.length, 6);
    const seen = run(
      "ps -eo args; journalctl --no-pager; find /var/log -type f -exec cat {} +; find /etc /opt/catalog/current /var -xdev -type f -perm /004 -size -200k -print0 | xargs -0 cat | tr -d '\\0'",
    );
    assert.deepEqual(
      lines.filter((secret) => seen.includes(secret)),
      [],
    );
  },
  'a worker can write only to its own folders': (run) => {
    const pid = run('cat /var/lib/catalog/pm2/pm2.pid').trim();
    assert.match(run(`cat /proc/${pid}/status`), /^NoNewPrivs:\t1$[\s\S]*^Seccomp:\t2$/m);
    assert.match(run(`ps -o user= -p ${pid}`), /^catalog/);
    const asWorker = `nsenter --target ${pid} --mount`;
    for (const path of ['/usr/x', '/etc/catalog/x', '/opt/catalog/current/x'])
      assert.match(run(`${asWorker} touch ${path} 2>&1 || true`), /Read-only file system/);
    run(`${asWorker} touch /var/log/catalog/x && rm /var/log/catalog/x`);
    assert.equal(run('stat -c "%a %U" /var/lib/catalog/pm2').trim(), '700 catalog');
  },
  'nginx has priority over the workers, and its cache is in its own memory': (run) => {
    const priorities = run("ps -o ni=,args= -C nginx | awk '/worker process/ { print $1 }'");
    assert.match(priorities, /^(-5\n)+$/);
    const cache = '/run/catalog-nginx/cache';
    const inside = 'nsenter --mount --target "$(systemctl show -p MainPID --value catalog-nginx)"';
    assert.match(run(`${inside} findmnt -n -o SIZE,FSTYPE --target ${cache}`), /^\s*192M\s+tmpfs\s*$/);
    run(`for time in $(seq 8); do ${get} -o /dev/null http://127.0.0.1/products/1; done`); // cached from the eighth request on
    assert.notEqual(run(`${inside} find ${cache} -type f`).trim(), '');
  },
};

module.exports = { hardening };
