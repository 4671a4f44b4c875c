'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { canKeepIdle } = require('../../nginx/keep-idle');
const { problems } = require('../../nginx/problems');
const { renderNginx } = require('../../nginx/render');
const { fleet, fleetOf } = require('../../nginx/retries');
const { renderUpstreams } = require('../../nginx/upstreams');
const { memoryFolder } = require('../../scripts/local/nginx');
const { binaries, nginxPrograms } = require('../../scripts/lib/runtime');

const run = promisify(execFile);
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'nginx-config-'));
afterAll(() => fs.rmSync(base, { recursive: true }));

/** @param {string} folder */
function settings(folder) {
  const work = path.join(base, folder);
  fs.mkdirSync(work, { recursive: true });
  const workers = ['127.0.0.1:3030', '127.0.0.1:3031'];
  return { port: 8080, workers, work, logs: work, openFiles: 1024 };
}

/** The path of Debian's package; the test is skipped elsewhere. */
const debianNginx = '/usr/sbin/nginx';

/** @param {string} text @param {string} work */
async function check(text, work, program = binaries().nginx) {
  const file = path.join(work, 'nginx.conf');
  fs.writeFileSync(file, text);
  const words = ['-t', '-p', `${work}/`, '-e', path.join(work, 'error.log'), '-c', file];
  return (await run(program, words)).stderr;
}

test.each(['plain', 'with space'])('nginx -t accepts the configuration in a folder named "%s"', async (folder) => {
  const given = settings(folder);
  expect(await check(renderNginx(given), given.work)).toContain('test is successful');
});

test('nginx listens on the IPv6 loopback only if the settings say that there is one', async () => {
  const tls = { certificate: '/c', key: '/k', port: 8443 };
  const listening = (/** @type {boolean} */ ipv6Loopback) =>
    renderNginx({ ...settings('ipv6'), tls, ipv6Loopback }).match(/(?<=^ *listen )\S+/gm);
  expect(listening(true)).toEqual(['8080', '[::1]:8080', '8443', '[::1]:8443']);
  expect(listening(false)).toEqual(['8080', '8443']);
});

test('nginx keeps as many idle connections to two workers as they may have documents in progress', () => {
  const [, kept, underWay] =
    /keepalive (\d+);[^]*limit_conn under_way (\d+);/.exec(renderNginx(settings('plain'))) ?? [];
  expect(Number(underWay)).toBeGreaterThan(0);
  expect(Number(kept)).toBeGreaterThanOrEqual(Number(underWay));
});

test('the cache is in the given folder, in memory if the machine has room for it', async () => {
  const given = { ...settings('cache'), cache: path.join(base, 'memory/cache') };
  fs.mkdirSync(path.join(base, 'memory'));
  expect(await check(renderNginx(given), given.work)).toContain('test is successful');
  expect(fs.existsSync(given.cache)).toBe(true);
  expect(fs.existsSync(path.join(given.work, 'cache'))).toBe(false);

  expect(memoryFolder('/one', base)).toMatch(new RegExp(`^${base}/catalog-nginx-[0-9a-f]{12}$`));
  expect(memoryFolder('/one', base)).not.toBe(memoryFolder('/other', base));
  expect(memoryFolder('/one', '/proc')).toBeUndefined(); // no room
  expect(memoryFolder('/one', path.join(base, 'nowhere'))).toBeUndefined();
});

test('nginx takes priority over the workers only as root with an account', () => {
  expect(renderNginx(settings('plain'))).not.toContain('worker_priority');
  expect(renderNginx({ ...settings('root'), user: 'nobody nogroup' })).toMatch(
    /^user nobody nogroup;\nworker_priority -\d+;/m,
  );
});

test('nginx -t refuses a broken configuration, which verifies the test above', async () => {
  const given = settings('broken');
  const broken = renderNginx(given).replace('least_conn;', 'least_con;');
  await expect(check(broken, given.work)).rejects.toThrow('unknown directive "least_con"');
});

test('each worker is its own backup with max_fails=0, so bad requests never eject all', () => {
  const servers = renderNginx(settings('servers')).match(/^\s*server 127.*$/gm) ?? [];
  const backups = servers.filter((server) => server.includes('backup'));
  expect([servers.length, backups.length]).toEqual([4, 2]);
  for (const server of backups) expect(server).toContain('max_fails=0');
});

describe('with a certificate, a rate limit and a fleet', () => {
  /** @param {string} folder */
  async function full(folder) {
    const given = settings(folder);
    const file = (/** @type {string} */ name) => path.join(given.work, name);
    const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const names = ['-keyout', file('key.pem'), '-out', file('cert.pem'), '-subj', '/CN=localhost'];
    await run('openssl', [...words, ...names]);
    fs.writeFileSync(file('upstreams.conf'), renderUpstreams(['10.0.0.31:3030', '10.0.0.32:3030']));
    const tls = { certificate: file('cert.pem'), key: file('key.pem'), port: 8443 };
    const { workers, ...rest } = given;
    return { ...rest, upstreams: file('upstreams.conf'), tls, rateLimit: 100, retries: fleet };
  }

  test.each([
    ['the wheel', String(nginxPrograms().at(-1))],
    ...(fs.existsSync(debianNginx) ? [['Debian', debianNginx]] : []),
  ])('nginx -t of %s accepts it', async (name, program) => {
    const given = await full(`tls-${name.replace(' ', '-')}`);
    const own = program === debianNginx ? { statusPort: 8081 } : {}; // the wheel's has no stub_status
    expect(await check(renderNginx({ ...given, ...own }), given.work, program)).toContain('test is successful');
  });

  test('each worker is also its own backup, which is never left out', async () => {
    const given = await full('servers-of-a-fleet');
    expect(fs.readFileSync(given.upstreams, 'utf8')).toBe(
      [
        'server 10.0.0.31:3030 max_fails=3 fail_timeout=3s;',
        'server 10.0.0.31:3030 max_fails=0 backup;',
        'server 10.0.0.32:3030 max_fails=3 fail_timeout=3s;',
        'server 10.0.0.32:3030 max_fails=0 backup;\n',
      ].join('\n'),
    );
  });

  test('every reply over HTTPS announces HSTS', async () => {
    const text = renderNginx(await full('headers'));
    expect(text.match(/Strict-Transport-Security "?\$hsts/g)).toHaveLength(1 + problems.length);
  });

  test('a configuration without TLS has no key, limit or status', () => {
    expect(renderNginx(settings('plain'))).not.toMatch(/ssl|Strict-Transport|limit_req|stub_status/);
  });
});

test('nginx -t accepts the directives that keep idle connections over a reload', async () => {
  const given = { ...settings('idle'), keepsIdle: true };
  expect(renderNginx(given)).toContain('keepalive_min_timeout 10s;');
  expect(await check(renderNginx(given), given.work, nginxPrograms().at(-1))).toContain('test is successful');
});

test.each([
  ['1.22.1', false],
  ['1.27.3', false],
  ['1.27.4', true],
  ['1.28.0', true],
  ['2.0.0', true],
])('whether nginx %s can keep them: %s', (version, can) => {
  expect(canKeepIdle(`nginx version: nginx/${version} (Ubuntu)\n`)).toBe(can);
  expect(canKeepIdle('')).toBe(false);
});

test('nginx has a try left when all workers of a node refuse', () => {
  const tries = (/** @type {number} */ workers) =>
    /proxy_next_upstream_tries (\d+);/.exec(renderNginx({ ...settings('many'), retries: fleetOf(workers) }))?.[1];
  expect([1, 2, 3, 8].map(tries)).toEqual(['3', '3', '4', '9']);
});

test('nginx retries a 503 on another worker only in a fleet', () => {
  expect(renderNginx(settings('alone'))).not.toContain('http_503;');
  expect(renderNginx({ ...settings('many'), retries: fleet })).toContain('error timeout http_503;');
});

test('no placeholder of the template is left', () => {
  expect(renderNginx(settings('filled'))).not.toMatch(/\{\{|undefined/);
});

test('a folder that nginx cannot quote is refused with the option that moves it', () => {
  const given = { ...settings('quote'), work: '/tmp/a"b' };
  expect(() => renderNginx(given)).toThrow('--state DIR');
});

test("no page may frame nginx's own replies", () => {
  const policy = `add_header Content-Security-Policy "default-src 'none'; frame-ancestors 'none'" always;`;
  expect(renderNginx(settings('policy')).split(policy)).toHaveLength(1 + problems.length);
});

test('each error code of nginx has one problem document', () => {
  const codes = problems.flatMap(({ on }) => on);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes).toEqual(expect.arrayContaining([400, 404, 405, 408, 413, 414, 494, 497, 500, 502, 503, 504]));
});
