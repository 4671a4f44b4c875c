'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { findTarget, helpText, parseOptions } = require('../../../scripts/k6/options');

describe('refuses a wrong command in one line', () => {
  test.each([
    [['lader'], 'no test "lader": did you mean ladder? use smoke, ladder'],
    [[], 'TEST is missing: type npm run k6 -- TEST'],
    [['--rate', '5'], 'TEST is missing'],
    [['mix', 'http://x', '20'], 'unexpected word "http://x"'],
    [['ladder', '--rout', 'list'], '--help'],
    [['ladder', '--route', 'lists'], 'use products, product, styles, related, mix or all'],
    [['ladder', '--rates', '1,0'], 'whole numbers like 1,10'],
    [['ladder', '--rates', '10,1,10'], 'each rate once'],
    [['ladder', '--rate', '5'], '--rate has no meaning for ladder'],
    [['smoke', '--budget', '5'], '--budget has no meaning for smoke'],
    [['mix', '--duration', '5'], 'like 90s, 5m or 2h'],
    [['mix', '--url', '127.0.0.1'], 'like http://'],
    [['mix', '--database', 'catalog'], 'like postgresql://'],
  ])('%j', (words, line) => {
    expect(() => parseOptions(words)).toThrow(line);
    expect(() => parseOptions(words)).not.toThrow('\n');
  });

  test('accepts a correct command', () => {
    expect(parseOptions(['--help'])).toEqual({ help: true });
    expect(parseOptions(['ladder', '--route', 'all,mix', '--rates', '5', '--budget', '20'])).toMatchObject({
      routes: ['products', 'product', 'styles', 'related', 'mix'],
      env: { RATES: '5', P99_MS: '20' },
    });
    expect(helpText()).toContain('breakpoint');
    expect(parseOptions(['ladder', '--route', 'list'])).toMatchObject({ routes: ['products'] });
    expect(parseOptions(['ladder', '--route', 'batch,search'])).toMatchObject({ routes: ['batch', 'search'] });
    expect(parseOptions(['smoke'])).toMatchObject({ routes: expect.arrayContaining(['related', 'export']) });
    expect(parseOptions(['smoke', '--route', 'all'])).toMatchObject({
      routes: ['products', 'product', 'styles', 'related'],
    });
  });

  test("passes k6's own flags on after a second --", () => {
    const flags = ['--tag', 'build=42', '--tag', 'at=night', '--out', 'web-dashboard', '-e', 'A=1'];
    expect(parseOptions(['mix', '--', ...flags])).toMatchObject({ test: 'mix', flags });
    expect(parseOptions(['mix'])).toMatchObject({ flags: [] });
  });

  test("does not use the stack's metrics and database for a service elsewhere", () => {
    const state = fs.mkdtempSync(path.join(os.tmpdir(), 'catalog-k6-'));
    try {
      expect(() => findTarget({ state, url: undefined, metrics: undefined, database: undefined })).toThrow('npm start');
      const loaderDsn = 'postgresql://loader@127.0.0.1/catalog';
      const stack = {
        pid: process.pid,
        url: 'http://127.0.0.1:8080',
        httpsUrl: 'https://127.0.0.1:8443',
        adminPorts: [9030],
        writePorts: [7040, 7041],
        loaderDsn,
      };
      fs.writeFileSync(path.join(state, 'stack.json'), JSON.stringify(stack));
      /** @param {string} [url] @param {string} [database] */
      const target = (url, database) => findTarget({ state, url, metrics: undefined, database });
      expect(target(undefined)).toMatchObject({ metrics: ['http://127.0.0.1:9030/metrics'], httpsUrl: stack.httpsUrl });
      expect(target('http://catalog.example').noHttp2).toMatch(/^it needs TLS/);
      expect(target('http://catalog.example').metrics).toEqual([]);
      expect([target(undefined).writer, target('http://catalog.example').writer]).toEqual(['http://127.0.0.1:7040', undefined]); // prettier-ignore
      for (const url of [undefined, stack.httpsUrl]) expect(target(url).database).toBe(loaderDsn);
      expect(target('http://catalog.example').database).toBeUndefined();
      expect(target('http://catalog.example', 'postgres://a').database).toBe('postgres://a');
    } finally {
      fs.rmSync(state, { recursive: true });
    }
  });
});
