'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { passing } = require('../../../scripts/k6/flags');
const { parseOptions } = require('../../../scripts/k6/options');
const { root } = require('../../../scripts/lib/runtime');
const { provideK6 } = require('../../helpers/k6');
const { unless } = require('../../helpers/skip');
const { writeStub } = require('../../helpers/stub');

/** @param {string[]} flags */
const parse = (...flags) => parseOptions(['smoke', '--', ...flags]);

test.each([
  ['--no-thresholds', '--no-thresholds'],
  ['--no-thresholds=true', '--no-thresholds'],
  ['--iterations=1', '--iterations'],
  ['--execution-segment 0:1/100', '--execution-segment'],
  ['--config other.json', '--config'],
  ['--include-system-env-vars=false', '--include-system-env-vars'],
  ['--log-output none', '--log-output'],
  ['--summary-mode=disabled', '--summary-mode disabled'],
  ['--out json=samples.json --paused', '--paused'],
  ['--help', '--help'],
  ['--constructor', '--constructor'],
  ['-i 1', '-i'],
  ['-i1', '-i'],
  ['-vi1', '-i'],
  ['-vd=1s', '-d'],
  ['-e RATE=1', '-e RATE'],
  ['-eFIGURES=', '-e FIGURES'],
  ['-vve=ROUTES=product', '-e ROUTES'],
  ['--env=PARSED_SHARE=0', '--env PARSED_SHARE'],
  ['--env BASE_URL', '--env BASE_URL'],
  ['--tag scenario=smoke', '--tag scenario'],
  ['--out json', '--out json'],
  ['-ojson=-', '-o json'],
  ['-o=csv=fileName=-', '-o csv'],
  ['--out csv=fileName=-,saveInterval=1s', '--out csv'],
  ['--out json=/dev/stdout', '--out json'],
  ['-ojson=', '-o json'],
  ['other.js', '"other.js"'],
  ['-', '"-"'],
  ['--tag a=b -- other.js', '"--"'],
  ['--http-debug full', '"full"'],
])('"%s" is refused before k6 runs, and %s is named', (words, named) => {
  expect(() => parse(...words.split(' '))).toThrow(`${named} does not pass to k6: `);
});

test.each(['--out', '-o', '-ve', '--tag='])('%s without its value would take the script for it', (word) => {
  expect(() => parse(word)).toThrow('of k6 needs a value');
});

test.each([
  '--tag build=42 --out json=samples.json --insecure-skip-tls-verify',
  '--out web-dashboard=export=report.html -e WARM_UP_SECONDS=0 -veB=2 -ve C=--no-thresholds',
  '-o json=a.json -ocsv=a.csv -o=influxdb=http://localhost:8086/k6 --dns ttl=0 --local-ips=127.0.0.1',
  '--summary-mode=full --http-debug=full --insecure-skip-tls-verify=true --verbose --user-agent me --traces-output=otel --secret-source file=secrets',
])('"%s" passes as it is', (words) => {
  expect(parse(...words.split(' '))).toMatchObject({ flags: words.split(' ') });
});

test('a refused flag ends the command with status 2, and k6 is not started', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'k6-flags-'));
  const k6 = writeStub(dir, 'k6', `echo "k6 v1.8.1"; echo "$@" >> ${dir}/started`);
  const words = [path.join(root, 'scripts/k6.js'), 'smoke', '--url', 'http://127.0.0.1:9', '--', '--no-thresholds'];
  const env = { ...process.env, K6_BIN: k6 };
  const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  const files = fs.readdirSync(dir);
  fs.rmSync(dir, { recursive: true });
  const said = expect.stringContaining('--no-thresholds does not pass to k6: ');
  expect([status, stderr, files]).toEqual([2, said, ['k6']]);
});

const provided = provideK6();
const { reason = '', k6 = '' } = /** @type {{ reason?: string, k6?: string }} */ (provided);

unless(reason).test('k6 has each of these flags, with a value or without as they are read here', () => {
  const { stdout } = spawnSync(k6, ['run', '--help'], { encoding: 'utf8' });
  const lines = stdout.matchAll(/^ +(?:-(\w), )?\s*--([\w-]+)(\S*) (\S* ?)/gm);
  const theirs = Array.from(lines, ([, short, name, , value]) => [name, { short, hasValue: value.trim() !== '' }]);
  const ours = Object.entries(passing).map(([name, { short, value }]) => [name, { short, hasValue: Boolean(value) }]);
  expect(Object.fromEntries(theirs)).toMatchObject(Object.fromEntries(ours));
});
