'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { get, load, routes, sql, useMachines } = require('./use-machines');

/* A machine with the role "all", by the user data of a cloud; besides the runbook. */

/** Valkey or Redis. */
const cache = "$(ls /lib/systemd/system | grep -xE '(valkey|redis)-server.service')";
const postgres = '"postgresql@$(ls /etc/postgresql)-main"';
const adminUrl = 'http://127.0.0.1:9030';

/** @param {string} release file @returns {string} what user data has a cloud's machine do at its first boot */
function firstBoot(release) {
  const text = fs.readFileSync(path.join(__dirname, '../../../scripts/fleet/first-boot.example.cfg'), 'utf8');
  const [, packages, script] = /^packages: \[(.*)\]$[^]*^ {4}- \|\n([^]*)/m.exec(text) ?? [];
  const [digest, name] = fs.readFileSync(`${release}.sha256`, 'utf8').trim().split(/ +/);
  const filled = script.replace('URL', `file:///srv/${name}`).replace('SHA256', digest);
  return `apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y ${packages.replaceAll(',', '')}
    ${filled.replaceAll(/\bID\b/g, name.slice('catalog-'.length, -'.tar'.length))}`;
}

const { machines } = useMachines({ one: '10.0.0.11' }, async ({ machines: { one }, release }) => {
  fs.copyFileSync(release, path.join(one.root, 'srv', path.basename(release)));
  await one.must(firstBoot(release));
});

/** @param {string} script of bash @returns {Promise<string>} output */
const run = (script) => machines.one.must(script);
/** @param {string} script @returns {Promise<string>} one line */
const line = async (script) => (await run(script)).trim();

async function fourRoutes() {
  const bodies = [];
  for (const route of routes) bodies.push(JSON.parse(await run(`${get} 'http://127.0.0.1${route}'`)));
  return bodies;
}

test.each(['catalog-node', 'catalog-node --check --diff'])('%s changes nothing after user data', async (command) => {
  expect(await run(command)).toMatch(/changed=0 /);
});

test('a load of generated products is served on the four routes', async () => {
  await run(load(2000));
  const [list, product, styles, related] = await fourRoutes();
  expect([list.length, product.id, styles.product_id]).toEqual([3, 1, '1']);
  expect(related).toEqual(expect.any(Array));
});

test('bodies are compressed by lz4, which the embedded PostgreSQL lacks', async () => {
  const methods = 'SELECT DISTINCT pg_column_compression(body) FROM catalog.styles_documents';
  expect(await line(sql(`${methods} WHERE pg_column_compression(body) IS NOT NULL`))).toBe('lz4');
});

test('PostgreSQL and Redis both answer the workers', async () => {
  expect(JSON.parse(await run(`curl -fsS ${adminUrl}/readyz`)).ready).toBe(true);
  expect(await run(`curl -fsS ${adminUrl}/metrics`)).toMatch(/^catalog_redis_up 1$/m);
});

test('HTTPS answers with HTTP/2 and the certificate of the machine', async () => {
  const words = '--cacert /etc/catalog/tls/fullchain.pem --http2 -o /dev/null';
  const format = "-w '%{http_version} %{http_code}'";
  expect(await run(`${get} ${words} ${format} https://127.0.0.1/products/1`)).toBe('2 200');
});

test('only expected sockets listen', () => run('catalog-listening'));

test('no process list, log or readable file has a password', async () => {
  const secrets = (await line('cut -d " " -f 2 /etc/catalog/inventory/group_vars/all/secrets.yml')).split('\n');
  expect(secrets).toHaveLength(6);
  const seen = await run(
    "ps -eo args; journalctl --no-pager; find /var/log -type f -exec cat {} +; find /etc /opt/catalog/current /var -xdev -type f -perm /004 -size -200k -print0 | xargs -0 cat | tr -d '\\0'",
  );
  expect(secrets.filter((secret) => seen.includes(secret))).toEqual([]);
});

test('a worker can write only to its own folders', async () => {
  const pid = await line('cat /var/lib/catalog/pm2/pm2.pid');
  expect(await run(`cat /proc/${pid}/status`)).toMatch(/^NoNewPrivs:\t1$[\s\S]*^Seccomp:\t2$/m);
  expect(await run(`ps -o user= -p ${pid}`)).toMatch(/^catalog/);
  const asWorker = `nsenter --target ${pid} --mount`;
  for (const file of ['/usr/x', '/etc/catalog/x', '/opt/catalog/current/x'])
    expect(await run(`${asWorker} touch ${file} 2>&1 || true`)).toMatch(/Read-only file system/);
  await run(`${asWorker} touch /var/log/catalog/x && rm /var/log/catalog/x`);
  expect(await line('stat -c "%a %U" /var/lib/catalog/pm2')).toBe('700 catalog');
});

test('nginx has priority over the workers, and its cache is in its own memory', async () => {
  expect(await run("ps -o ni=,args= -C nginx | awk '/worker process/ { print $1 }'")).toMatch(/^(-5\n)+$/);
  const folder = '/run/catalog-nginx/cache';
  const inside = 'nsenter --mount --target "$(systemctl show -p MainPID --value catalog-nginx)"';
  expect(await line(`${inside} findmnt -n -o SIZE,FSTYPE --target ${folder}`)).toMatch(/^192M\s+tmpfs$/);
  await run(`for time in $(seq 8); do ${get} -o /dev/null http://127.0.0.1/products/1; done`); // cached from the eighth request on
  expect(await line(`${inside} find ${folder} -type f`)).not.toBe('');
});

test('every unit runs and none has failed', async () => {
  const failed = (await line('systemctl list-units --failed --plain --no-legend')).split('\n');
  // A namespace has no console.
  expect(failed.filter((unit) => unit && !/getty/.test(unit))).toEqual([]);
  for (const unit of ['catalog-workers', 'catalog-nginx', cache, 'catalog-backup.timer'])
    await run(`systemctl is-active ${unit}`);
});

test('every long-running unit has limits of memory and CPU', async () => {
  for (const unit of ['catalog-workers', 'catalog-nginx', cache, postgres])
    expect(await run(`systemctl show -P MemoryMax -P CPUWeight ${unit}`)).toMatch(/^[0-9]+\n[0-9]+$/m);
});

test("certbot's challenge is answered", async () => {
  await run('mkdir -p /var/lib/catalog-acme/.well-known/acme-challenge && echo proof > "$_/token"');
  expect(await line(`${get} http://127.0.0.1/.well-known/acme-challenge/token`)).toBe('proof');
});

test('sessions yield to services', async () => {
  expect(await line('systemctl show -P CPUWeight user.slice')).toBe('20');
});

test('PostgreSQL and Redis wait for their address at a boot', async () => {
  for (const unit of [cache, postgres])
    expect(await run(`systemctl show -P After ${unit}`)).toMatch(/(^| )network-online\.target( |$)/m);
});

test('a killed PM2 is restarted with its workers', async () => {
  const before = await line('cat /var/lib/catalog/pm2/pm2.pid');
  await run(`kill -KILL ${before}`);
  await run(
    `for try in $(seq 30); do [ "$(cat /var/lib/catalog/pm2/pm2.pid 2>/dev/null)" != ${before} ] && systemctl is-active -q catalog-workers && break; sleep 1; done`,
  );
  expect(await line('cat /var/lib/catalog/pm2/pm2.pid')).not.toBe(before);
  await fourRoutes();
});

test('a later run keeps the rate limit until it is lifted', async () => {
  const rendered = 'grep -c "rate=5000r/s" /etc/catalog/nginx.conf || true';
  await run('catalog-node rate_limit=5000');
  expect(await run('catalog-node')).toMatch(/changed=0 /);
  expect(await line(rendered)).toBe('1');
  await run('catalog-node rate_limit=0');
  expect(await line(rendered)).toBe('0');
});

test("the operator's own settings reach the workers, and a later run keeps them", async () => {
  const file = '/etc/catalog/worker.local.env';
  await run(`install -m 644 /dev/null ${file} && echo ACCESS_LOG_RATIO=0.002 > ${file} && catalog-node`);
  expect(await run('catalog-node')).toMatch(/changed=0 /);
  expect(await run(`stat -c %a ${file} && cat ${file}`)).toBe('600\nACCESS_LOG_RATIO=0.002\n');
  const settings = await run('tr "\\0" "\\n" < "/proc/$(catalog-pm2 pid worker-3030)/environ"');
  expect(settings).toMatch(/^ACCESS_LOG_RATIO=0.002$/m);
  await run(`rm ${file} && systemctl reload catalog-workers`);
});

test('logs are rotated, and workers and nginx write to the new ones', async () => {
  await run('logrotate --force /etc/logrotate.d/catalog-workers /etc/logrotate.d/catalog-nginx');
  await run(
    `${get} -o /dev/null http://127.0.0.1/products/2 && for try in $(seq 20); do [ -s /var/log/catalog-nginx/nginx-access.log ] && break; sleep 1; done`,
  );
  await run('test -s /var/log/catalog-nginx/nginx-access.log');
  await run('gzip --test /var/log/catalog-nginx/nginx-access.log.1.gz');
});

test("the distribution's timer rotates the workers' logs, and they write to new ones", async () => {
  await run('echo ACCESS_LOG_RATIO=1 > /etc/catalog/worker.local.env && systemctl reload catalog-workers');
  await run(`${get} -o /dev/null http://127.0.0.1/products/3`);
  const old = '{ print "\\"" $0 "\\" 2000-1-1-0:0:0" }';
  const state = `echo "logrotate state -- version 2"; ls /var/log/catalog/*.log | awk '${old}'`;
  await run(`(${state}) > /var/lib/logrotate/status && systemctl start logrotate.service`);
  await run(`for try in $(seq 20); do
      curl -s -o /dev/null "http://127.0.0.1/products/$try"
      [ -s /var/log/catalog/worker-3030.log ] && [ -s /var/log/catalog/worker-3031.log ] && break
      sleep 1
    done`);
  await run('test -s /var/log/catalog/worker-3030.log && test -s /var/log/catalog/worker-3031.log');
  await run('rm /etc/catalog/worker.local.env');
});

test('the size of logs is checked every hour', async () => {
  const times = await run('systemctl show -P TimersCalendar logrotate.timer');
  expect(times.match(/OnCalendar=[^;]*/g)).toEqual(['OnCalendar=*-*-* *:00:00 ']);
  await run('systemctl is-active logrotate.timer');
});
