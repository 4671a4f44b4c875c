'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { findTarget, parseOptions } = require('../../../scripts/k6/options');

/* Wrong words are in ../lib/wrong-words.test.js. */

const all = ['products', 'product', 'styles', 'related'];

test.each([
  ['ladder --route all,mix --rates 5 --budget 20', { routes: [...all, 'mix'], env: { RATES: '5', P99_MS: '20' } }],
  ['ladder --route list', { routes: ['products'] }],
  ['ladder --route batch,search', { routes: ['batch', 'search'] }],
  ['smoke', { routes: expect.arrayContaining(['related', 'export']), flags: [] }],
  ['smoke --route all', { routes: all }],
  ['breakpoint', { routes: [...all, 'mix'] }],
])('takes "%s"', (line, options) => {
  expect(parseOptions(line.split(' '))).toMatchObject(options);
});

test("the stack's metrics, writer and database are not used for a service elsewhere", () => {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
  const target = (/** @type {object} */ own = {}) =>
    findTarget({ state, url: undefined, metrics: undefined, database: undefined, ...own });
  const [url, httpsUrl, elsewhere] = ['http://127.0.0.1:8080', 'https://127.0.0.1:8443', 'http://catalog.example'];
  const loaderDsn = 'postgresql://loader@127.0.0.1/catalog';
  const stack = { pid: process.pid, url, httpsUrl, adminPorts: [9030], writePorts: [7040, 7041], loaderDsn };
  try {
    expect(() => target()).toThrow('npm start');
    fs.writeFileSync(path.join(state, 'stack.json'), JSON.stringify(stack));
    const own = { metrics: ['http://127.0.0.1:9030/metrics'], writer: 'http://127.0.0.1:7040', database: loaderDsn };
    for (const named of [{}, { url: httpsUrl }]) expect(target(named)).toMatchObject({ ...own, httpsUrl });
    const none = { metrics: [], writer: undefined, database: undefined };
    expect(target({ url: elsewhere })).toMatchObject({ ...none, noHttp2: expect.stringMatching(/^it needs TLS/) });
    expect(target({ url: elsewhere, database: 'postgres://a' }).database).toBe('postgres://a');
  } finally {
    fs.rmSync(state, { recursive: true });
  }
});
