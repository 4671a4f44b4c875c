'use strict';
const { spawnSync } = require('node:child_process');
const { generateKeyPairSync } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { rootCertificates } = require('node:tls');
/** @type {{ scripts: Record<string, string> }} */
const { scripts } = require('../../../package.json');
const { loadOptions } = require('../../../scripts/local/start-options');
const { python, root } = require('../../../scripts/lib/runtime');
const { openShell } = require('../../helpers/command-lines');

/** A state folder without a stack: a command that ignores wrong words fails there with another message. */
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wrong words' "));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const inRoot = /** @type {const} */ ({ cwd: root, encoding: 'utf8' });

const shell = openShell();
afterAll(() => shell.close());

beforeAll(() => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const form = { type: /** @type {const} */ ('pkcs8'), format: /** @type {const} */ ('pem') };
  fs.writeFileSync(path.join(folder, 'other.key'), privateKey.export(form));
  const locked = privateKey.export({ ...form, cipher: 'aes-256-cbc', passphrase: 'x' });
  fs.writeFileSync(path.join(folder, 'locked.key'), locked);
  fs.writeFileSync(path.join(folder, 'good.pem'), rootCertificates[0]);
});

/**
 * Runs what npm runs when all is installed, with the environment that npm sets.
 * @param {string} name of the npm script @param {string[]} words @param {NodeJS.ProcessEnv} [kept] what npm has kept
 * @returns {Promise<[status: number | null, stdout: string, stderr: string]>}
 */
async function type(name, words, kept = {}) {
  const [command, ...own] = scripts[name].replace('exec node scripts/bootstrap.js ', '').split(' ');
  const [script, typed, env] = [`${command}.js`, [...own, ...words], { INIT_CWD: folder, ...kept }];
  // The loader, which parses most words of etl.js and checks folders of CSVs, writes its own output.
  const isLoaders = script === 'etl.js' || words.join(' ') === '--data nowhere';
  const { status, stdout, stderr } = isLoaders
    ? spawnSync(process.execPath, [path.join(root, 'scripts', script), ...typed], {
        ...inRoot,
        env: { ...process.env, ...env },
      })
    : await shell.type(script, typed, env);
  return [status, stdout, stderr];
}

/** Valid words of each script, so that the next one is surplus. The words after a playbook are Ansible's. @type {Record<string, string>} */
const enough = {
  start: '--state s',
  dev: '--state s',
  load: 'csv',
  etl: 'status',
  key: 'list',
  hook: 'list',
  monitor: 'targets',
  generate: 'out --products 5',
  bench: 'load',
  k6: 'mix',
  faults: 'R2',
};
const names = Object.keys(scripts).filter((name) => name !== 'fleet');

describe.each(names)('npm run %s', (name) => {
  const words = enough[name]?.split(' ') ?? [];
  // These take any number of parts or faults.
  const parts = /^no (part|fault) "surplus": .*\n$/;
  const line = ['bench', 'faults'].includes(name)
    ? parts
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

/** The words typed after `npm run`, the options that npm has kept, and the message. @type {[line: string, kept: string, message: string][]} */
const wrong = [
  ['start 8090', 'port', 'npm keeps options before "--" for itself (--port): type npm start -- … --port …'],
  ['start', 'port fresh', 'type npm start -- … --port … --fresh'],
  ['k6 mix 20', 'rate', 'type npm run k6 -- … --rate …'],
  ['load csv', 'dry_run', 'type npm run load -- … -- --dry-run'],
  ['etl load csv', 'dry_run', 'type npm run etl -- … --dry-run'],
  ['load csv --max-reject 5', '', 'type npm run load -- … -- --max-reject …'],
  ['load csv -- --max-rejct 5', '', "unknown option '--max-rejct': did you mean --max-reject?"],
  ['load csv -- more', '', 'unexpected word "more"'],
  ['load', '', 'DIR is missing: type npm run load -- DIR'],
  ['start --data csv --max-reject=5', '', 'type npm start -- … -- --max-reject …'],
  ['start --data csv -- --dry-run', '', '--dry-run is not for npm start: use npm run load -- DIR -- --dry-run'],
  ['start --data csv -- --database-url x', '', '--database-url is not for npm start: set DATABASE_URL'],
  ['start --data csv -- other', '', 'unexpected word "other"'],
  ['start -- --jobs 1', '', 'type npm start -- --data DIR -- --jobs 1'],
  ['start --products -1', '', '--products -1: must be a whole number from 1 to'],
  ['start --port 70000', '', '--port 70000: must be a whole number from 1 to 65535'],
  ['start --port', '', '--port needs a value'],
  ['start --state=', '', '--state needs a value'],
  ['start --fresh=yes', '', '--fresh takes no value'],
  ['start --certificate a.pem', '', '--certificate and --key belong together'],
  ['start --certificate no.pem --key no.key', '', `--certificate ${folder}/no.pem: no such file`],
  ['start --certificate good.pem --key other.key', '', 'does not belong to the first certificate of'],
  ['start --certificate good.pem --key locked.key', '', 'locked.key: no key in PEM that needs no password'],
  ['start --certificate other.key --key other.key', '', 'other.key: no certificate in PEM'],
  ['start --data nowhere', '', `refused: ${folder}/nowhere does not exist`],
  ['etl verfy', '', "no command 'verfy': did you mean verify?"],
  ['etl load . --jobs 0', '', "'0' is not a positive integer"],
  ['etl --state nowhere status', '', `no stack runs on ${folder}/nowhere`], // one may run in this clone
  ['generate', '', 'OUT is missing: type npm run generate -- OUT'],
  ['generate out', '', '--products N is missing'],
  ['generate out --products 10 --dirty', '', 'from 400'],
  ['generate out --products 10 --sed 3', '', "unknown option '--sed': did you mean --seed?"],
  ['monitor tragets', '', 'no action "tragets": did you mean targets?'],
  ['test no-such-file', '', 'no test file matches "no-such-file"'],
  ['test start-killed', '', 'npm run test:long runs it'],
  ['test:long lib/locks', '', 'npm test runs it'],
  ['faults --rate 1000001', '', '--rate 1000001: must be a whole number'],
  [
    'fleet:test --part pages --part incidents --only kill',
    '',
    '--only names nothing of --part pages: leave that part out',
  ],
  ['k6 lader', '', 'no test "lader": did you mean ladder? use smoke, ladder'],
  ['k6 --rate 5', '', 'TEST is missing: type npm run k6 -- TEST'],
  ['k6 mix http://x 20', '', 'unexpected word "http://x"'],
  ['k6 ladder --rout list', '', '--help'],
  ['k6 ladder --route lists', '', 'use products, product, styles, related, mix or all'],
  ['k6 ladder --rates 1,0', '', 'whole numbers like 1,10'],
  ['k6 ladder --rates 10,1,10', '', 'each rate once'],
  ['k6 ladder --rate 5', '', '--rate has no meaning for ladder'],
  ['k6 smoke --budget 5', '', '--budget has no meaning for smoke'],
  ['k6 mix --duration 5', '', 'like 90s, 5m or 2h'],
  ['k6 mix --url 127.0.0.1', '', 'like http://'],
  ['k6 mix --database catalog', '', 'like postgresql://'],
];
test.each(wrong)(
  'of "npm run %s" (kept: "%s") the last line has a correct command or value',
  async (line, kept, message) => {
    const [name, ...words] = line.split(' ');
    const env = Object.fromEntries(kept.split(' ').map((option) => [`npm_config_${option}`, 'true']));
    const [status, , stderr] = await type(name, words, env);
    expect([status, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(message)]]);
  },
);

test('kept options are recognised by the variables that npm sets', () => {
  const { status, stderr } = spawnSync('npm', ['run', 'k6', 'mix', '--rate', '20'], inRoot);
  expect([status, stderr]).toEqual([2, expect.stringContaining('(--rate): type npm run k6 -- … --rate …\n')]);
});

test("npm run load takes the options of the loader's load", () => {
  const { stdout } = spawnSync(python, ['-m', 'etl', 'load', '--help'], inRoot);
  const known = [...new Set(stdout.match(/(?<=[\s[])--[a-z-]+/g))].map((option) => option.slice(2));
  expect(known.sort()).toEqual(Object.keys(loadOptions).sort());
});
