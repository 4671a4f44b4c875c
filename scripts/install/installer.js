'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { endingSignals } = require('../lib/command-line');
const { fullDisk, saysFull } = require('../lib/disk');
const { environment } = require('../lib/environment');
const { python, root } = require('../lib/runtime');

/** @typedef {(line: string) => void} Say */

/** After so long without output, and again after each such time, the person reads what the start waits for. */
const silenceMs = 15_000;

/** @param {string} output */
const lastLine = (output) => output.trimEnd().split('\n').at(-1)?.slice(0, 160);

/** A signal came while something was being installed; nothing of it runs any more. */
class Interrupted extends Error {}

/**
 * Runs pip, venv or npm to its end, in a group of its own: a signal that ends us ends all of it first, or it would go on
 * beside the next installation, in the same folder.
 * @param {string[]} command
 * @param {{ env: NodeJS.ProcessEnv, say: Say, name: string, everyMs?: number }} options `name`: for a person, with the host that it asks
 * @returns {Promise<{ ok: boolean, output: string }>}
 * @throws {Interrupted}
 */
async function runInstaller([program, ...words], { env, say, name, everyMs = silenceMs }) {
  let interrupted = false;
  let pid = 0;
  const stop = () => {
    if (pid > 0 && !interrupted) process.kill(-pid, 'SIGKILL'); // what is half installed has no stamp, and is made anew
    interrupted = true;
  };
  for (const name of endingSignals) process.on(name, stop); // before it runs: else a signal soon after would end us alone
  const child = spawn(program, words, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  pid = child.pid ?? 0;
  let output = '';
  let silentSince = performance.now();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => ([output, silentSince] = [output + text, performance.now()]));
  const reminder = setInterval(() => {
    const silentMs = performance.now() - silentSince;
    if (silentMs < everyMs) return;
    say(`${name}: no output for ${Math.round(silentMs / 1000)} s; last: ${lastLine(output) || 'nothing yet'}`);
  }, everyMs);
  try {
    const [status] = await once(child, 'close');
    if (interrupted) throw new Interrupted('stopped while installing; the next start goes on');
    return { ok: status === 0, output: output.trim() };
  } finally {
    clearInterval(reminder);
    // npm and the terminal both pass Ctrl-C on: the second one would end us before we have said so.
    if (!interrupted) for (const name of endingSignals) process.off(name, stop);
  }
}

/** @param {string} program @param {string[]} words @param {NodeJS.ProcessEnv} [env] @returns {{ ok: boolean, output: string }} */
function quietly(program, words, env = environment('tool')) {
  const options = { cwd: root, encoding: /** @type {const} */ ('utf8'), env };
  const { status, stdout, stderr, error } = spawnSync(program, words, options);
  return { ok: status === 0, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim() };
}

/** @param {string} text as Python writes a string @returns {string} */
const unquoted = (text) => text.slice(1, -1).replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char));

/**
 * pip's configuration files may say where packages come from, as the shell's variables may; `user`, `target`, `prefix`, `root`, `dry-run`,
 * `platform` or `requirement` would make another installation.
 * @returns {NodeJS.ProcessEnv}
 */
function pipEnvironment() {
  // `pip config` has a --user of its own, which lists that file alone.
  const all = environment('installer', { PIP_USER: '0', PIP_SITE: '0', PIP_GLOBAL: '0' });
  const { ok, output } = quietly(python, ['-m', 'pip', 'config', 'list'], all);
  if (!ok) throw new Error(`pip cannot read its configuration: ${causeOf(output)}`);
  const lines = [...output.matchAll(/^(?:global|install)\.([\w-]+)=(.*)$/gm)];
  const variable = (/** @type {string} */ name) => `PIP_${name.replaceAll('-', '_').toUpperCase()}`;
  const settings = Object.fromEntries(lines.map(([, name, value]) => [variable(name), unquoted(value)]));
  return { ...environment('installer', {}, settings), ...environment('installer', { PIP_CONFIG_FILE: os.devNull }) };
}

/** Each line holds a name and its version; those with a condition are not for every machine. @param {string} lock a file */
const pinnedIn = (lock) => [...fs.readFileSync(lock, 'utf8').matchAll(/^(\S+==\S+) \\$/gm)].map(([, pin]) => pin);

const findMissing = `import importlib.metadata as metadata, sys
def version(name):
    try: return metadata.version(name)
    except metadata.PackageNotFoundError: return None
print(*[pin for pin in sys.argv[1:] if version(pin.split("==")[0]) != pin.split("==")[1]])`;

/** The parts of the loader that are compiled, which another Python or a disk without exec refuses. */
const importCompiled = 'import psycopg, pyroaring';

/**
 * An installation gets its stamp only when what it stands for is there.
 * @param {string[]} locks files @returns {string} what is wrong with the virtual environment; empty: nothing
 */
function faultOfVenv(locks) {
  const { ok, output } = quietly(python, ['-c', findMissing, ...locks.flatMap(pinnedIn)]);
  if (!ok) return output;
  if (output)
    return `pip put ${output.split(' ')[0]} elsewhere: look for target, prefix, root or user in \`pip config list\``;
  const use = quietly(python, ['-c', importCompiled]);
  return use.ok ? '' : use.output;
}

/** @returns {string} what is wrong with node_modules; empty: nothing */
function faultOfModules() {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  // npm is silent about an optional package that it could not install: those that we name ourselves are wanted.
  const wanted = Object.keys(packages[''].optionalDependencies ?? {}).map((name) => `node_modules/${name}`);
  const isNeeded = (/** @type {string} */ place) => !packages[place].optional || wanted.includes(place);
  const missing = Object.keys(packages).find(
    (place) => place && isNeeded(place) && !fs.existsSync(path.join(root, place, 'package.json')),
  );
  return missing ? `npm left ${missing} out: look for omit, dry-run or global in \`npm config list\`` : '';
}

/** @type {[RegExp, string][]} what a tool says of a cause, and what to do */
const causes = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERTIFICATE_VERIFY_FAILED/,
    'the certificate of the server or proxy is signed by an authority that this machine does not know: add that to the ' +
      "system's store (Debian, Ubuntu: /usr/local/share/ca-certificates/NAME.crt, then update-ca-certificates), or name its " +
      'file in SSL_CERT_FILE',
  ],
  [
    /failed to map segment from shared object|\bspawnSync \S* ?EACCES\b/,
    'the disk of the clone is mounted noexec: mount it with exec, or clone the repository elsewhere',
  ],
  [
    /ensurepip is not available|No module named '?(venv|ensurepip)\b/,
    'its venv module is incomplete; Debian, Ubuntu: apt-get install python3-venv',
  ],
];

/** @param {string} output @returns {string} the lines that say why: the first errors, else the last lines */
function reasonIn(output) {
  const lines = output.split('\n').filter((line) => line.trim().length > 'npm error'.length);
  const errors = lines.filter((line) => /^(npm error (?!A complete log|code)|ERROR: )/.test(line));
  return (errors.length > 0 ? errors.slice(0, 3) : lines.slice(-4)).join('\n  ');
}

/**
 * Names the cause and the next step.
 * @param {string} output of the tool that failed
 * @param {string} [otherwise] what to do when no cause is recognised
 * @returns {string}
 */
function causeOf(output, otherwise = '') {
  const said = output.replaceAll(root, ''); // the name of a folder may be any word
  const known = saysFull(said) ? fullDisk(root) : causes.find(([pattern]) => pattern.test(said))?.[1];
  return [known ?? otherwise, reasonIn(output)].filter(Boolean).join('\n  ');
}

module.exports = { causeOf, faultOfModules, faultOfVenv, Interrupted, pipEnvironment, quietly, runInstaller };
