'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');
const { linkProgram } = require('../../helpers/stub');

const program = `require('./scripts/k6/find-k6').findK6(console.error).then(
  ({ k6, version }) => console.log(k6, version), (error) => { console.error(error.message); process.exit(1); })`;
const advice = 'install k6 1\\.0 to 2\\.x';

/** A clone in which nothing was built. */
const { at, write } = useFolder('k6-find');
beforeEach(() => {
  for (const part of ['scripts/lib', 'scripts/k6/find-k6.js', 'server/core/nearest.js'])
    fs.cpSync(path.join(root, part), at(part), { recursive: true });
});

/** Puts a program on the PATH. @param {string} name @param {string} script @returns {string} its path */
const stub = (name, script) => write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755);

/** @param {string} version */
const says = (version) => `echo "k6 ${version} (go1.26.0, linux/amd64)"`;

/** With nothing on the PATH but the stubs. @param {NodeJS.ProcessEnv} [own] */
function find(own = {}) {
  const env = { PATH: at('bin'), ...own };
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { cwd: at(), env, encoding: 'utf8' });
  return { found: stdout.trim(), said: stderr };
}

test('without k6 and Go one line says what to install', () => {
  expect(find().said).toMatch(new RegExp(`^k6 is missing: ${advice}.*; or install Go, .*\\n$`));
});

test('refuses a K6_BIN that is not k6, or is older than 1.0 or newer than 2.x', () => {
  expect(find({ K6_BIN: '/bin/true' }).said).toMatch(new RegExp(`^/bin/true is no k6: ${advice}.*\\n$`));
  for (const version of ['v0.57.0', 'v3.0.0', 'v10.1.0']) {
    const other = stub(version, says(version));
    expect(find({ K6_BIN: other }).said).toMatch(new RegExp(`^${other} is ${version}: ${advice}.*\\n$`));
  }
});

test('Go builds the pinned version once, also when the PATH has an old k6', () => {
  stub('k6', says('v0.57.0'));
  linkProgram(at('bin'), 'flock');
  const asked = at('asked');
  const make = `{ echo '#!/bin/sh'; echo '${says('v1.8.1')}'; } > "$GOBIN/k6" && /bin/chmod +x "$GOBIN/k6"`;
  stub('go', `[ "$1" = version ] || { echo "$@" >> ${asked}; ${make}; }`);
  const built = `${at('.runtime/k6/k6-v1.8.1')} v1.8.1`;
  const said = expect.stringMatching(/^no k6 1\.0 to 2\.x .* building v1\.8\.1 .*\n$/);
  expect(find()).toEqual({ found: built, said });
  expect(find()).toEqual({ found: built, said: '' });
  expect(fs.readFileSync(asked, 'utf8')).toBe('install go.k6.io/k6@v1.8.1\n');
});

test.each(['v1.0.0', 'v1.8.1', 'v2.0.0', 'v2.2.0'])('uses a k6 %s on the PATH', (version) => {
  stub('k6', says(version));
  expect(find()).toEqual({ found: `k6 ${version}`, said: '' });
});
