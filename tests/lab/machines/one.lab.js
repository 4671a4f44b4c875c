'use strict';
const { strict: assert } = require('node:assert');
const { get, load, sql } = require('./ask');
const { hardening } = require('./hardening');

/* Checks of a booted machine with the role "all", besides the runbook. */

/** @typedef {import('./ask').Run} Run */

const routes = ['/products?count=3', '/products/1', '/products/1/styles', '/products/1/related'];
/** Valkey or Redis. */
const cache = "$(ls /lib/systemd/system | grep -xE '(valkey|redis)-server.service')";
const adminUrl = 'http://127.0.0.1:9030';

/** @param {Run} run */
const fourRoutes = (run) => routes.map((route) => JSON.parse(run(`${get} 'http://127.0.0.1${route}'`)));

/**
 * Sends requests for changing products, which nginx does not cache, from before a command to its end.
 * @param {Run} run @param {string} command @returns {string[]} the different statuses of the replies
 */
function statusesDuring(run, command) {
  const script = `rm -f /tmp/over
    curl -fsS 'http://127.0.0.1/products?count=2000' | grep -o '{"id":[0-9]*' | cut -d : -f 2 > /tmp/ids
    while [ ! -e /tmp/over ]; do
      for id in $(cat /tmp/ids); do
        curl -s -o /dev/null -w '%{http_code}\\n' "http://127.0.0.1/products/$id" || true
        [ ! -e /tmp/over ] || break
      done
    done > /tmp/statuses &
    (${command}) >&2 || touch /tmp/failed
    touch /tmp/over
    wait
    [ ! -e /tmp/failed ]`;
  run(script);
  const statuses = run('cat /tmp/statuses').trim().split('\n');
  assert.ok(statuses.length > 100, `only ${statuses.length} requests were sent during the command`);
  return [...new Set(statuses)];
}

/** @type {Record<string, (run: Run) => void>} */
const claims = {
  'a load of generated products is served on the four routes': (run) => {
    run(load(2000));
    const [list, product, styles, related] = fourRoutes(run);
    assert.equal(list.length, 3);
    assert.equal(product.id, 1);
    assert.equal(styles.product_id, '1');
    assert.ok(Array.isArray(related));
  },
  'bodies are compressed by lz4, which the embedded PostgreSQL lacks': (run) => {
    const methods = 'SELECT DISTINCT pg_column_compression(body) FROM catalog.styles_documents';
    assert.equal(run(sql(`${methods} WHERE pg_column_compression(body) IS NOT NULL`)).trim(), 'lz4');
  },
  'PostgreSQL and Redis both answer the workers': (run) => {
    const ready = JSON.parse(run(`curl -fsS ${adminUrl}/readyz`));
    assert.equal(ready.ready, true);
    assert.match(run(`curl -fsS ${adminUrl}/metrics`), /^catalog_redis_up 1$/m);
  },
  'HTTPS answers with HTTP/2 and the certificate of the machine': (run) => {
    const words = '--cacert /etc/catalog/tls/fullchain.pem --http2 -o /dev/null';
    const format = "-w '%{http_version} %{http_code}'";
    assert.equal(run(`${get} ${words} ${format} https://127.0.0.1/products/1`), '2 200');
  },
  ...hardening,
  'every unit runs and none has failed': (run) => {
    const failed = run('systemctl list-units --failed --plain --no-legend').trim();
    // A namespace has no console.
    assert.deepEqual(
      failed.split('\n').filter((line) => line && !/getty/.test(line)),
      [],
    );
    for (const unit of ['catalog-workers', 'catalog-nginx', cache, 'catalog-backup.timer'])
      run(`systemctl is-active ${unit}`);
  },
  'every long-running unit has limits of memory and CPU': (run) => {
    for (const unit of ['catalog-workers', 'catalog-nginx', cache, '"postgresql@$(ls /etc/postgresql)-main"']) {
      const limits = run(`systemctl show -P MemoryMax -P CPUWeight ${unit}`);
      assert.match(limits, /^[0-9]+\n[0-9]+$/m, unit);
    }
  },
  "certbot's challenge is answered": (run) => {
    run('mkdir -p /var/lib/catalog-acme/.well-known/acme-challenge && echo proof > "$_/token"');
    assert.equal(run(`${get} http://127.0.0.1/.well-known/acme-challenge/token`).trim(), 'proof');
  },
  'sessions yield to services': (run) => assert.equal(run('systemctl show -P CPUWeight user.slice').trim(), '20'),
  'PostgreSQL and Redis wait for their address at a boot': (run) => {
    for (const unit of [cache, '"postgresql@$(ls /etc/postgresql)-main"'])
      assert.match(run(`systemctl show -P After ${unit}`), /(^| )network-online\.target( |$)/m);
  },
  'a killed PM2 is restarted with its workers': (run) => {
    const before = run('cat /var/lib/catalog/pm2/pm2.pid').trim();
    run(`kill -KILL ${before}`);
    run(
      `for try in $(seq 30); do [ "$(cat /var/lib/catalog/pm2/pm2.pid 2>/dev/null)" != ${before} ] && systemctl is-active -q catalog-workers && break; sleep 1; done`,
    );
    assert.notEqual(run('cat /var/lib/catalog/pm2/pm2.pid').trim(), before);
    fourRoutes(run);
  },
  'a later run keeps the rate limit until it is lifted': (run) => {
    const rendered = 'grep -c "rate=5000r/s" /etc/catalog/nginx.conf || true';
    run('catalog-node rate_limit=5000');
    assert.match(run('catalog-node'), /changed=0 /);
    assert.equal(run(rendered).trim(), '1');
    run('catalog-node rate_limit=0');
    assert.equal(run(rendered).trim(), '0');
  },
  "the operator's own settings reach the workers, and a later run keeps them": (run) => {
    const file = '/etc/catalog/worker.local.env';
    run(`install -m 644 /dev/null ${file} && echo ACCESS_LOG_RATIO=0.002 > ${file}`);
    run('catalog-node');
    assert.match(run('catalog-node'), /changed=0 /);
    assert.equal(run(`stat -c %a ${file} && cat ${file}`), '600\nACCESS_LOG_RATIO=0.002\n');
    const settings = run('tr "\\0" "\\n" < "/proc/$(catalog-pm2 pid worker-3030)/environ"');
    assert.match(settings, /^ACCESS_LOG_RATIO=0.002$/m);
    run(`rm ${file} && systemctl reload catalog-workers`);
  },
  'a reload of the workers and ten of nginx fail no request': (run) => {
    const reload = 'systemctl reload catalog-workers; for time in $(seq 10); do systemctl reload catalog-nginx; done';
    assert.deepEqual(statusesDuring(run, reload), ['200']);
  },
  'a restore brings a damaged catalog back byte for byte': (run) => {
    const before = fourRoutes(run);
    const print =
      'runuser -u postgres -- psql -X -A -t -d catalog -f /opt/catalog/current/scripts/fleet/backup/fingerprint.sql';
    const whole = run(print);
    assert.match(whole, /^products 20\d\d /m);
    run('systemctl start catalog-backup.service');
    run(sql('DROP SCHEMA catalog CASCADE'));
    run('catalog-restore "$(ls -d /var/backups/catalog/2*Z | tail -n 1)"');
    assert.equal(run(print), whole);
    assert.deepEqual(fourRoutes(run), before);
  },
  'logs are rotated, and workers and nginx write to the new ones': (run) => {
    run('logrotate --force /etc/logrotate.d/catalog-workers /etc/logrotate.d/catalog-nginx');
    run(
      `${get} -o /dev/null http://127.0.0.1/products/2 && for try in $(seq 20); do [ -s /var/log/catalog-nginx/nginx-access.log ] && break; sleep 1; done`,
    );
    run('test -s /var/log/catalog-nginx/nginx-access.log');
    run('gzip --test /var/log/catalog-nginx/nginx-access.log.1.gz');
  },
  "the distribution's timer rotates the workers' logs, and they write to new ones": (run) => {
    run('echo ACCESS_LOG_RATIO=1 > /etc/catalog/worker.local.env && systemctl reload catalog-workers');
    run(`${get} -o /dev/null http://127.0.0.1/products/3`);
    const old = '{ print "\\"" $0 "\\" 2000-1-1-0:0:0" }';
    const state = `echo "logrotate state -- version 2"; ls /var/log/catalog/*.log | awk '${old}'`;
    run(`(${state}) > /var/lib/logrotate/status && systemctl start logrotate.service`);
    run(`for try in $(seq 20); do
        curl -s -o /dev/null "http://127.0.0.1/products/$try"
        [ -s /var/log/catalog/worker-3030.log ] && [ -s /var/log/catalog/worker-3031.log ] && break
        sleep 1
      done`);
    run('test -s /var/log/catalog/worker-3030.log && test -s /var/log/catalog/worker-3031.log');
    run('rm /etc/catalog/worker.local.env');
  },
  'the size of logs is checked every hour': (run) => {
    const times = run('systemctl show -P TimersCalendar logrotate.timer');
    assert.deepEqual(times.match(/OnCalendar=[^;]*/g), ['OnCalendar=*-*-* *:00:00 ']);
    run('systemctl is-active logrotate.timer');
  },
};

module.exports = { claims };
