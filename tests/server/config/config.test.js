'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { renderNginx } = require('../../../nginx/render');
const { ConfigError, loadConfig } = require('../../../server/config/config');
const { SETTINGS } = require('../../../server/config/settings');
const { connectionsPerWorker, overBudget } = require('../../../server/store/connection-budget');

const required = { DATABASE_URL: 'postgres://catalog_api:secret@/catalog?host=%2Frun%2Fpostgres' };

describe('configuration', () => {
  test('needs only a database', () => {
    expect(loadConfig(required)).toMatchObject({ PORT: 3030, REDIS_URL: '', CORS_ORIGIN: '*' });
  });

  test('reports every problem at once', () => {
    const wrong = {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      REDIS_URL: 'valkey',
      REPLICA_DATABASE_URL: 'postgres://x@db-2/x',
      OTLP_TRACES_URL: 'collector:4318',
      CORS_ORIGIN: 'shop',
      PG_LOCK_TIMEOUT_MS: 'soon', // must be below another
      DRAIN_GRACE_MS: '10000',
    };
    expect(() => loadConfig(wrong)).toThrow(ConfigError);
    for (const name of [...Object.keys(wrong), 'DATABASE_URL'])
      expect(() => loadConfig(wrong)).toThrow(`\n  ${name}: `);
  });

  test('shows a wrong value, except of a URL, which may contain a password', () => {
    const wrong = { ...required, GZIP_MIN_BYTES: '1k', LOG_LEVEL: 'DEBUG', PG_POOLED: 'maybe' };
    const secret = { REDIS_URL: 'rediss:pa55', DATABASE_URL: 'pa55', OTLP_TRACES_URL: 'http://pa55[' };
    /** @type {string[]} */
    let lines = [];
    try {
      loadConfig({ ...wrong, ...secret });
    } catch (error) {
      lines = /** @type {ConfigError} */ (error).problems;
    }
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(
      [...Object.keys(wrong), 'OTLP_TRACES_URL', 'REDIS_URL'].sort(),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^GZIP_MIN_BYTES: .* from 1 to 2147483647, not "1k" \(/));
    expect(lines).toContainEqual(expect.stringMatching(/^LOG_LEVEL: .*"DEBUG".*debug/));
    expect(lines).toContainEqual(expect.stringMatching(/^PG_POOLED: .*"maybe"/));
    expect(lines.join()).not.toContain('pa55');
  });

  test('says that a missing setting is required, and what is wrong with a URL', () => {
    expect(() => loadConfig({})).toThrow('DATABASE_URL: is required (PostgreSQL, role catalog_api');
    const urls = [
      'redis://:a/b@cache',
      'redis://:p%zz@cache',
      'redis://u%2:0pw@cache',
      'redis://cache:port',
      'redis://cache/first',
      'unix:///s?db=x',
      'unix:///50%/s.sock',
    ];
    for (const url of urls)
      expect(() => loadConfig({ ...required, REDIS_URL: url })).toThrow('REDIS_URL: must be a URL');
    for (const url of ['unix://redis.sock', 'unix:s'])
      expect(() => loadConfig({ ...required, REDIS_URL: url })).toThrow('REDIS_URL: must start with');
    const right = [
      'redis://:a%2Fb@cache:6380/2',
      'rediss://u:p@[::1]',
      'unix:///s.sock?db=1',
      'unix://:p@localhost/s.sock',
    ];
    for (const url of right) expect(loadConfig({ ...required, REDIS_URL: url }).REDIS_URL).toBe(url);
  });

  test('refuses an empty name at New Relic, with which nothing would be reported', () => {
    for (const NEW_RELIC_APP_NAME of ['', ' '])
      expect(() => loadConfig({ ...required, NEW_RELIC_APP_NAME })).toThrow('NEW_RELIC_APP_NAME: must not be empty');
  });

  test.each([
    'postgres://catalog_api:1234@db-2/catalog',
    'postgres://catalog_api:postgres@10.0.0.21:5432/catalog',
    'postgresql://catalog_api:password@[fd00::1]/catalog',
    'postgres://catalog_api:catalog_api@db-2/catalog',
    'postgres://catalog_api:pass%77ord@db-2/catalog',
    'postgres://catalog_api@/catalog?host=db-2&password=1234',
    'postgres://db-2/catalog?user=catalog_api&password=catalog_api',
  ])('refuses %s: its password is a common one', (url) => {
    for (const DATABASE_URL of [url, url.replace('db-2', 'localhost,db-2')])
      expect(() => loadConfig({ DATABASE_URL })).toThrow('DATABASE_URL: has a password that attackers');
    const unreached = ['@127.0.0.1:5432/', '@localhost/', '@[::1]/', '@/'];
    for (const DATABASE_URL of unreached.map((place) => `postgres://catalog_api:1234${place}catalog`))
      expect(loadConfig({ DATABASE_URL })).toMatchObject({ DATABASE_URL });
    for (const DATABASE_URL of [
      'postgres://catalog_api@db-2/catalog',
      'postgres://api:12345@db-2/catalog',
      'postgres:///catalog?user=catalog_api&password=1234',
      'postgres://catalog_api:1234@%2Fvar%2Frun/catalog',
    ])
      expect(loadConfig({ DATABASE_URL })).toMatchObject({ DATABASE_URL });
  });

  test('refuses the variable of earlier releases, unless it is empty', () => {
    const former = { ...required, REPLICA_DATABASE_URL: 'postgres://x@db-2/x' };
    expect(() => loadConfig(former)).toThrow(
      'REPLICA_DATABASE_URL: is no longer read: name every server in DATABASE_URL',
    );
    expect(loadConfig({ ...required, REPLICA_DATABASE_URL: '' })).toMatchObject(required);
  });

  test.each([
    ['names a server twice', 'db-1,db-1:5432/x', 'DATABASE_URL: names db-1:5432 twice'],
    ['names a missing file', 'db/x?sslmode=verify-full&sslrootcert=/none', 'names a file that cannot be read: /none'],
  ])('refuses a DATABASE_URL that %s', (_, rest, refusal) => {
    expect(() => loadConfig({ ...required, DATABASE_URL: `postgres://x@${rest}` })).toThrow(refusal);
  });

  test('keeps an idle connection longer than nginx does', () => {
    const where = { port: 8080, workers: ['127.0.0.1:3030'], work: '/work', logs: '/logs', openFiles: 1024 };
    const [, seconds] = /upstream workers \{[^}]*keepalive_timeout (\d+)s;/.exec(renderNginx(where)) ?? [];
    const oneMore = { ...required, HTTP_KEEP_ALIVE_TIMEOUT_MS: String(Number(seconds) * 1000 + 1000) };
    expect(() => loadConfig(oneMore)).toThrow(
      `HTTP_KEEP_ALIVE_TIMEOUT_MS: must be a whole number from ${Number(seconds) * 1000 + 5000}`,
    );
  });

  test('needs absolute paths of disks, because PM2 may start a worker anywhere', () => {
    for (const DISK_PATHS of ['logs', '/var/log:', '/var/log:lib'])
      expect(() => loadConfig({ ...required, DISK_PATHS })).toThrow('DISK_PATHS: must be absolute paths');
    expect(loadConfig({ ...required, DISK_PATHS: '/var/log:/var/lib' })).toMatchObject({
      DISK_PATHS: '/var/log:/var/lib',
    });
  });

  test('refuses an empty HOST, and a cache that is larger than its worker', () => {
    for (const name of ['HOST', 'ADMIN_HOST'])
      expect(() => loadConfig({ ...required, [name]: '' })).toThrow(`${name}: must not be empty`);
    expect(() => loadConfig({ ...required, L1_MAX_BYTES: String(2 ** 28) })).toThrow('L1_MAX_BYTES: must be');
  });

  test('treats an empty URL as not set', () => {
    const empty = { REDIS_URL: '', OTLP_TRACES_URL: '' };
    expect(loadConfig({ ...required, ...empty })).toMatchObject(empty);
    expect(() => loadConfig({ DATABASE_URL: '' })).toThrow('DATABASE_URL: must start with postgres://');
  });

  test.each(['https://shop.example/', 'https://shop.example\r\nSet-Cookie: x=y', 'shop.example'])(
    'refuses the origin %j, which no browser sends',
    (origin) => {
      expect(() => loadConfig({ ...required, CORS_ORIGIN: origin })).toThrow('CORS_ORIGIN: must be');
      const { CORS_ORIGIN } = loadConfig({ ...required, CORS_ORIGIN: 'https://shop.example:8443' });
      expect(CORS_ORIGIN).toBe('https://shop.example:8443');
    },
  );

  test('refuses a query timeout below the one of the server', () => {
    const wrong = { ...required, PG_STATEMENT_TIMEOUT_MS: '3000', PG_QUERY_TIMEOUT_MS: '2000' };
    expect(() => loadConfig(wrong)).toThrow('PG_STATEMENT_TIMEOUT_MS: must be below PG_QUERY_TIMEOUT_MS');
  });

  test('refuses in one line the limits that node:http would reject', () => {
    const limits = { HTTP_HEADERS_TIMEOUT_MS: '2000', HTTP_REQUEST_TIMEOUT_MS: '2000' };
    expect(loadConfig({ ...required, ...limits })).toMatchObject({ HTTP_HEADERS_TIMEOUT_MS: 2000 });
    expect(() => loadConfig({ ...required, ...limits, HTTP_HEADERS_TIMEOUT_MS: '2001' })).toThrow(
      'HTTP_HEADERS_TIMEOUT_MS: must not be above HTTP_REQUEST_TIMEOUT_MS',
    );
  });

  test('warns of a sixteenth worker with the default max_connections', () => {
    const fleet = { perWorker: connectionsPerWorker(loadConfig(required)), limit: 97 };
    expect(overBudget({ ...fleet, used: 15 * fleet.perWorker })).toBeNull();
    expect(overBudget({ ...fleet, used: 16 * fleet.perWorker })).toMatch(
      / 80 connections, 5 each, .*\(77\).*max_connections/,
    );
  });

  test('server/README.md lists every setting with its default and meaning, and no other', () => {
    const readme = readFileSync(join(__dirname, '../../../server/README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| `([A-Z0-9_]+)` *\|(.*?)\|(.*)\|$/gm)];
    const documented = rows.map(([, name, value, meaning]) => [name, value.trim(), meaning.trim()]);
    const actual = Object.entries(SETTINGS).map(([name, spec]) => {
      const { default: value, desc } = /** @type {{ default?: unknown, desc: string }} */ (spec);
      return [name, value === undefined ? 'required' : value === '' ? 'none' : `\`${value}\``, desc];
    });
    expect(documented).toEqual(actual);
  });
});
