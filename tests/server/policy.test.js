'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { nodeSettings } = require('../../nginx/node-paths');
const { problems } = require('../../nginx/problems');
const { numbersAbove } = require('../../nginx/cache-key');
const { renderNginx } = require('../../nginx/render');
const policy = require('../../server/core/policy');
const description = require('../../server/openapi.json');
const { SETTINGS } = require('../../server/config/settings');
const { connectionsPerWorker, overBudget } = require('../../server/store/connection-budget');

const root = path.join(__dirname, '../..');
const nginxConf = renderNginx({ port: 1, workers: ['127.0.0.1:2'], work: '/w', logs: '/l', openFiles: 1024 });

/** @param {string} name of one file below scripts/ or tests/lab/ @returns {string} its text */
function textOf(name) {
  const found = fs.globSync(`{scripts,tests/lab}/**/${name}`, { cwd: root });
  expect(found).toHaveLength(1);
  return fs.readFileSync(path.join(root, found[0]), 'utf8');
}

/** @param {string} text @param {RegExp} pattern with one group @returns {number} what it found; NaN for nothing */
const numberIn = (text, pattern) => Number(pattern.exec(text)?.[1]?.replaceAll('_', ''));

/** @param {string} name @returns {number} */
const defaultOf = (name) => Number(/** @type {any} */ (SETTINGS)[name].default);

describe('other files repeat the numbers of server/core/policy.js', () => {
  const { NGINX_CACHE_PEAK_MB, WORKER_MAX_MB } = policy;

  test.each([
    ["a node's cache", 'lb/templates/catalog-nginx.service.j2', /catalog-nginx:size=(\d+)m/, NGINX_CACHE_PEAK_MB],
    ['the check of that cache', 'one.lab.js', /(\d+)M\\s\+tmpfs/, NGINX_CACHE_PEAK_MB],
    ['the alert about memory', 'alerts.yml', /restarts it at (\d+) MiB/, WORKER_MAX_MB],
    ['the test of that alert', 'slow-signs.yml', /restarts it at (\d+) MiB/, WORKER_MAX_MB],
    ['the memory of the service', 'group_vars/all.yml', /ecosystem\.config\.js, (\d+) MB/, WORKER_MAX_MB],
    ['open files of nginx', 'lb/templates/catalog-nginx.service.j2', /^LimitNOFILE=(\d+)$/m, nodeSettings.openFiles],
  ])('%s (%s)', (_, file, pattern, wanted) => expect(numberIn(textOf(file), pattern)).toBe(wanted));

  test('the client requests no more products at once than a list may have', () => {
    const client = fs.readFileSync(path.join(root, 'server/client/batches.js'), 'utf8');
    const { ids, with_large: withLarge } = policy.LIST_LIMITS;
    expect(numberIn(client, /MAX_IDS = (\d+)/)).toBe(ids);
    expect(numberIn(client, /MAX_IDS_WITH_LARGE = (\d+)/)).toBe(withLarge);
    expect(client).toContain(`LARGE_INCLUDES = ['${policy.LARGE_INCLUDES.join("', '")}']`);
  });

  test('the description of the API has the limits of lists', () => {
    const { count, ids } = description.components.parameters;
    expect(count.schema.maximum).toBe(policy.LIST_LIMITS.count);
    expect(ids.schema.maxItems).toBe(policy.LIST_LIMITS.ids);
    const named = numberIn(ids.description, /at most (\d+) with `styles` or `related`/);
    expect(named).toBe(policy.LIST_LIMITS.with_large);
  });

  test('a node has more memory for each worker than PM2 allows it', () => {
    expect(numberIn(textOf('group_vars/all.yml'), /^app_memory_mb: .*\* (\d+) \+/m)).toBeGreaterThan(
      policy.WORKER_MAX_MB,
    );
  });

  test('the alert about memory fires before PM2 restarts the worker', () => {
    const bytes = numberIn(textOf('alerts.yml'), /process_resident_memory_bytes\{[^}]*\} > (\S+)/);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(policy.WORKER_MAX_MB * 2 ** 20);
  });

  test('a node has connections to the database for all of its workers', () => {
    const [, each, more] = /\[\[(\d+) \* all\.workers \+ (\d+), 100\]/.exec(textOf('db/defaults/main.yml')) ?? [];
    const config = /** @type {any} */ ({
      PG_SHORT_CONNECTIONS: defaultOf('PG_SHORT_CONNECTIONS'),
      PG_BULK_CONNECTIONS: defaultOf('PG_BULK_CONNECTIONS'),
    });
    const perWorker = connectionsPerWorker(config);
    for (const workers of [20, 24, 100]) {
      const limit = Number(each) * workers + Number(more) - 3; // PostgreSQL keeps 3 for superusers
      expect(overBudget({ used: workers * perWorker, perWorker, limit })).toBeNull();
    }
  });
});

describe('the limits of nginx and of a worker fit', () => {
  const seconds = (/** @type {string} */ directive) => numberIn(nginxConf, new RegExp(`^ *${directive} (\\d+)s;`, 'm'));

  test('nginx waits for a long page until the worker itself gives up', () => {
    expect(seconds('proxy_read_timeout') * 1000).toBeGreaterThan(defaultOf('PG_BULK_QUERY_TIMEOUT_MS'));
  });

  test('nginx takes no more headers than a worker, and names its limits', () => {
    const [, count, size] = /large_client_header_buffers (\d) (\d)k/.exec(nginxConf) ?? [];
    expect(Number(count) * Number(size) * 1024).toBeLessThan(defaultOf('HTTP_MAX_HEADER_BYTES'));
    expect(Number(size) * 1024).toBeGreaterThan('GET  HTTP/1.1\r\n'.length + 8 * 1024); // a URL of 8 KB
    const details = problems.filter(({ status }) => [414, 431].includes(status)).map(({ detail }) => detail);
    expect(details).toEqual([
      expect.stringContaining(`${size} KB`),
      expect.stringContaining(`${Number(count) * Number(size)} KB, or one is longer than ${size} KB`),
    ]);
  });

  test('a stop of nginx waits for its slow readers', () => {
    const shutdown = seconds('worker_shutdown_timeout');
    expect(numberIn(textOf('lb/templates/catalog-nginx.service.j2'), /^TimeoutStopSec=(\d+)$/m)).toBeGreaterThan(
      shutdown,
    );
    expect(numberIn(textOf('{lib,local}/nginx.js'), /stopTimeoutMs = ([\d_]+)/)).toBeGreaterThan(shutdown * 1000);
  });
});

test('a load and single writes make page blocks of the same size', () => {
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(root, 'db', name), 'utf8');
  const loaded = numberIn(read('documents/page_blocks.sql'), /row_number\(\)[^\n]*\/ (\d+) AS run/);
  expect(loaded).toBeGreaterThan(0);
  expect(numberIn(read('schema/004_page_block_counts.sql'), /block_rows >= (\d+)/)).toBe(loaded);
});

test.each([7, 9, 50, 98, 99, 100, 189, 200, 999])(
  'the pattern for numbers above %i matches these and no others',
  (limit) => {
    const pattern = new RegExp(`^(?:${numbersAbove(limit)})$`);
    const numbers = Array.from({ length: 12_000 }, (_, index) => index);
    expect(numbers.filter((number) => pattern.test(String(number)))).toEqual(
      numbers.filter((number) => number > limit),
    );
  },
);
