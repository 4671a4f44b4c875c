'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const { generateKeyPairSync } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { rootCertificates } = require('node:tls');
/** @type {{ scripts: Record<string, string> }} */
const { scripts } = require('../../../package.json');
const { loadOptions } = require('../../../scripts/local/loader-options');
const { python, root } = require('../../../scripts/lib/runtime');
const { openShell } = require('../../helpers/command-lines');

/** A state folder without a stack: a command that ignores wrong words fails there with another message. */
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wrong words' "));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const secret = { type: /** @type {const} */ ('pkcs8'), format: /** @type {const} */ ('pem') };
const locked = { ...secret, cipher: 'aes-256-cbc', passphrase: 'x' };
beforeAll(() => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  fs.writeFileSync(path.join(folder, 'other.key'), privateKey.export(secret));
  fs.writeFileSync(path.join(folder, 'locked.key'), privateKey.export(locked));
  fs.writeFileSync(path.join(folder, 'good.pem'), rootCertificates[0]);
});

const shell = openShell();
afterAll(() => shell.close());

/**
 * Runs what npm runs when all is installed, with the environment that npm sets.
 * @param {string} name of the npm script @param {string[]} words @param {NodeJS.ProcessEnv} [env]
 */
async function type(name, words, env = {}) {
  const [command, ...own] = scripts[name].replace('exec node scripts/bootstrap.js ', '').split(' ');
  const typed = [...own, ...words];
  const { status, stdout, stderr } = await runLine(`${command}.js`, typed, { INIT_CWD: folder, ...env });
  return [status, stdout, stderr];
}

/** The loader, which parses most words of etl.js and checks folders of CSVs, writes its own output. @type {ReturnType<typeof openShell>['type']} */
async function runLine(script, words, env) {
  if (script !== 'etl.js' && words.join(' ') !== '--data nowhere') return shell.type(script, words, env);
  const command = [path.join(root, 'scripts', script), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { status: status ?? -1, stdout, stderr };
}

/** Valid words of each script, so that the next one is surplus. @type {Record<string, string[]>} */
const enough = {
  start: ['--state', 's'],
  dev: ['--state', 's'],
  test: [],
  'test:long': [],
  check: [],
  lint: [],
  format: [],
  typecheck: [],
  status: [],
  load: ['csv'],
  etl: ['status'],
  key: ['list'],
  generate: ['out', '--products', '5'],
  bench: ['load'],
  k6: ['mix'],
  monitor: ['targets'],
  profile: [],
  'fleet:test': [],
  faults: ['soak'],
};

test('every npm script is tested', () => {
  // The words after a playbook are Ansible's.
  const own = Object.keys(scripts).filter((name) => name !== 'fleet');
  expect(Object.keys(enough).sort()).toEqual(own.sort());
});

describe.each(Object.entries(enough))('npm run %s', (name, words) => {
  // bench takes any number of parts.
  const line =
    name === 'bench'
      ? /^no part "surplus": use load, .*\n$/
      : /^.*surplus.*npm (start|test|run [a-z0-9:]+) .*--help shows .*\n$/;

  test('refuses a surplus word with status 2 and one line, and does nothing', async () => {
    expect(await type(name, [...words, 'surplus'])).toEqual([2, '', expect.stringMatching(line)]);
  });

  test('refuses an unknown option in the same way', async () => {
    const option = /^.*'--surplus'.*--help shows the options\n$/;
    expect(await type(name, [...words, '--surplus'])).toEqual([2, '', expect.stringMatching(option)]);
  });

  test('shows its options, and refuses one that npm has kept with the correct command', async () => {
    const shown = await type(name, ['--help']);
    expect(shown).toEqual([0, expect.stringContaining('--help'), '']);
    const [, option] = /--(?!help)([a-z-]+) [A-Z]/.exec(String(shown[1])) ?? ['', 'testNamePattern'];
    if (['check', 'lint', 'format', 'typecheck'].includes(name)) return; // they have none
    const kept = { [`npm_config_${option.replaceAll('-', '_')}`]: 'true' };
    const line = new RegExp(`^npm keeps .*\\(--${option}\\): type npm .* --${option} …\n$`);
    expect(await type(name, ['value'], kept)).toEqual([2, '', expect.stringMatching(line)]);
  });
});

describe('the last line quotes the wrong words and has a correct command', () => {
  test.each([
    [
      'start',
      ['8090'],
      { npm_config_port: 'true' },
      'npm keeps options before "--" for itself (--port): type npm start -- … --port …',
    ],
    ['start', [], { npm_config_port: '8090', npm_config_fresh: 'true' }, 'type npm start -- … --port … --fresh'],
    ['k6', ['mix', '20'], { npm_config_rate: 'true' }, 'type npm run k6 -- … --rate …'],
    ['load', ['csv'], { npm_config_dry_run: 'true' }, 'type npm run load -- … -- --dry-run'],
    ['etl', ['load', 'csv'], { npm_config_dry_run: 'true' }, 'type npm run etl -- … --dry-run'],
    ['load', ['csv', '--max-reject', '5'], {}, 'type npm run load -- … -- --max-reject …'],
    ['load', ['csv', '--', '--max-rejct', '5'], {}, "unknown option '--max-rejct': did you mean --max-reject?"],
    ['load', ['csv', '--', 'more'], {}, 'unexpected word "more"'],
    ['load', [], {}, 'DIR is missing: type npm run load -- DIR'],
    ['start', ['--data', 'csv', '--max-reject=5'], {}, 'type npm start -- … -- --max-reject …'],
    [
      'start',
      ['--data', 'csv', '--', '--dry-run'],
      {},
      '--dry-run is not for npm start: use npm run load -- DIR -- --dry-run',
    ],
    [
      'start',
      ['--data', 'csv', '--', '--database-url', 'x'],
      {},
      '--database-url is not for npm start: set DATABASE_URL',
    ],
    ['start', ['--data', 'csv', '--', 'other'], {}, 'unexpected word "other"'],
    ['start', ['--', '--jobs', '1'], {}, 'type npm start -- --data DIR -- --jobs 1'],
    ['start', ['--products', '-1'], {}, '--products -1: must be a whole number from 1 to'],
    ['start', ['--port', '70000'], {}, '--port 70000: must be a whole number from 1 to 65535'],
    ['start', ['--port'], {}, '--port needs a value'],
    ['start', ['--state', ''], {}, '--state needs a value'],
    ['start', ['--fresh=yes'], {}, '--fresh takes no value'],
    ['start', ['--certificate', 'no.pem', '--key', 'no.key'], {}, `--certificate ${folder}/no.pem: no such file`],
    ['start', ['--certificate', 'good.pem', '--key', 'other.key'], {}, 'does not belong to the first certificate of'],
    [
      'start',
      ['--certificate', 'good.pem', '--key', 'locked.key'],
      {},
      'locked.key: no key in PEM that needs no password',
    ],
    ['start', ['--certificate', 'other.key', '--key', 'other.key'], {}, 'other.key: no certificate in PEM'],
    ['start', ['--data', 'nowhere'], {}, `refused: ${folder}/nowhere does not exist`],
    ['k6', ['mxi'], {}, 'no test "mxi": did you mean mix?'],
    ['etl', ['verfy'], {}, "no command 'verfy': did you mean verify?"],
    ['etl', ['load', '.', '--jobs', '0'], {}, "'0' is not a positive integer"],
    ['etl', ['--state', 'nowhere', 'status'], {}, `no stack runs on ${folder}/nowhere`], // one may run in this clone
    [
      'fleet:test',
      ['--part', 'pages', '--part', 'incidents', '--only', 'kill'],
      {},
      '--only names nothing of --part pages: leave that part out',
    ],
    ['monitor', ['tragets'], {}, 'no action "tragets": did you mean targets?'],
    ['faults', ['soak', '--minutes', '10081'], {}, '--minutes 10081: must be a whole number'], // longer than timers take
    ['test', ['no-such-file'], {}, 'no test file matches "no-such-file"'],
  ])('%s %j %j', async (name, words, env, message) => {
    const [status, , stderr] = await type(name, words, env);
    expect([status, String(stderr).trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(message)]]);
  });

  test('recognises kept options by the variables that npm sets', () => {
    const { env } = process;
    const { status, stderr } = spawnSync('npm', ['run', 'k6', 'mix', '--rate', '20'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining('(--rate): type npm run k6 -- … --rate …\n')]);
  });
});

test("npm run load takes the options of the loader's load", () => {
  const help = execFileSync(python, ['-m', 'etl', 'load', '--help'], { cwd: root, encoding: 'utf8' });
  const known = [...new Set(help.match(/(?<=[\s[])--[a-z-]+/g))].map((option) => option.slice(2));
  expect(known.sort()).toEqual(Object.keys(loadOptions).sort());
});
