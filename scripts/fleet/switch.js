'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');

/*
 * The steps of a deploy on one node. Ansible sends this file there, and the node's own Node runs it, so it requires nothing else. The plays
 * (deploy-roll.yml) decide which node is next and whether all go back; workers in a loop with checks are shorter here than in YAML.
 *
 *   state                 prints what serves and what is kept, as JSON
 *   check ID              whether the workers run, and whether the release accepts the node's settings; changes nothing
 *   to ID [--note ID] [--canary] [--backwards]   switches the node to a release, one worker at a time
 *   settle [ID]           notes the release that a rollback goes to; without one, a rollback is done
 *   prune ID…             removes old releases except these
 */

const root = process.env.CATALOG_ROOT ?? ''; // tests run it over a folder of theirs
const home = `${root}/opt/catalog`;
const pm2 = `${root}/usr/local/sbin/catalog-pm2`;
const settings = `${root}/etc/catalog/worker.env`;
const kept = 5;
/** PM2 itself waits 15 s (listen_timeout); a worker that is not ready then will not become ready. */
const readySeconds = '20';
/** Long enough to notice what a new release does wrong at once: PM2 restarts a worker that ends within this time. */
const watchMs = 5_000;

/** @typedef {{ name: string, port: number, admin: number }} Program of ecosystem.config.js */
/** @param {string} id */
const folderOf = (id) => path.join(home, 'releases', id);

/** @param {string} name of a link @returns {string} the release that it names; empty: none */
const linked = (name) => path.basename(targetOf(path.join(home, name)));

/** A rename, so that there always is a current release. @param {string} name @param {string} id empty: no link */
function link(name, id) {
  const file = path.join(home, name);
  if (!id) return fs.rmSync(file, { force: true });
  run(['ln', '-sfn', folderOf(id), `${file}.new`]);
  fs.renameSync(`${file}.new`, file);
}

/** @param {string[]} command @param {NodeJS.ProcessEnv} [env] @returns {string} its output */
function run([program, ...words], env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', CATALOG_ROOT: root }) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', env });
  if (status !== 0) throw new Error(error?.message ?? `${stdout}${stderr}`.trim().slice(-500));
  return stdout.trim();
}

/** @param {string} file @returns {string} what the link names; empty: nothing */
const targetOf = (file) => (fs.lstatSync(file, { throwIfNoEntry: false }) ? fs.readlinkSync(file) : '');

/** A shell reads the settings, as the unit does. NODE_OPTIONS would apply to the check itself. @returns {NodeJS.ProcessEnv} */
function readSettings() {
  if (!fs.existsSync(settings)) return {};
  const script = 'set -a; for file do [ ! -e "$file" ] || . "$file"; done; env -u NODE_OPTIONS -0';
  const files = ['worker.env', 'writer.env', 'worker.local.env'].map((name) => path.join(path.dirname(settings), name));
  const text = run(['sh', '-c', script, 'sh', ...files]);
  return Object.fromEntries(Array.from(text.matchAll(/(\w+)=([^\0]*)\0/g), ([, name, value]) => [name, value]));
}

/** The writer is last: no worker may read documents of a newer one. @param {NodeJS.ProcessEnv} env @returns {Program[]} */
function programsIn(env) {
  const [port, admin] = [Number(env.CATALOG_WORKER_PORT), Number(env.CATALOG_ADMIN_PORT)];
  const writer = { name: 'writer', port: 0, admin: Number(env.WRITE_ADMIN_PORT || 7031) };
  const workers = Array.from({ length: Number(env.CATALOG_WORKERS ?? 0) }, (_, index) => ({
    name: `worker-${port + index}`,
    port: port + index,
    admin: admin + index,
  }));
  return env.WRITE_DATABASE_URL ? [...workers, writer] : workers;
}

/** @param {string} name of a program @returns {string} the release that it runs; empty: it does not run */
function servedBy(name) {
  const pid = Number(run([pm2, 'pid', name]));
  return pid > 0 ? path.basename(targetOf(`/proc/${pid}/cwd`)) : '';
}

/** PM2 can lose a process that crashed while it was stopped. It would keep the ports. @param {Program} program @returns whether it did */
async function endLost({ name, admin }) {
  const pid = /pid=(\d+)/.exec(run(['ss', '-Hltnp', `sport = :${admin}`]))?.[1];
  if (!pid || pid === run([pm2, 'pid', name])) return false;
  process.kill(Number(pid), 'SIGINT');
  for (let tries = 150; tries > 0 && fs.existsSync(`/proc/${pid}`); tries -= 1) await pause(100); // it drains for 10 s
  return true;
}

/**
 * Stops one program (it drains), starts it from `current`, and waits until it is ready. By the file, not by name: options of PM2 may
 * have changed too. It also compares the folder, because a worker of the old release is ready at once.
 * @param {Program} program @param {string} id @param {NodeJS.ProcessEnv} env
 */
async function reload({ name, admin }, id, env) {
  run([pm2, 'reload', `${home}/current/ecosystem.config.js`, '--only', name, '--update-env']);
  const words = `-fsS -o /dev/null -m 2 --noproxy * --retry 99 --retry-all-errors --retry-delay 1 --retry-max-time ${readySeconds}`;
  const address = `http://${env.ADMIN_HOST}:${admin}/readyz`;
  try {
    run(['curl', ...words.split(' '), address]);
  } catch (cause) {
    const said = await fetch(address).then(
      (reply) => reply.text(),
      () => 'no answer',
    );
    throw new Error(`is not ready: ${said}`, { cause });
  }
  const serves = servedBy(name);
  if (serves !== id) throw new Error(`still runs ${serves || 'nothing'}`);
}

/**
 * Requests a list of one product and all routes of that product. 404 and an empty list are correct answers. A 503 or no answer may
 * pass, so it gets five tries; any other 5xx gets one.
 * @param {string} base @param {number} [tries]
 */
async function ask(base, tries = 5) {
  let isFinal = false;
  const get = async (/** @type {string} */ more) => {
    const reply = await fetch(base + more, { signal: AbortSignal.timeout(2000) });
    isFinal = reply.status >= 500 && reply.status !== 503;
    if (reply.status >= 500) throw new Error(`does not serve: ${more} is answered ${reply.status}`);
    return reply.ok ? reply.json() : [];
  };
  try {
    for (const { id } of await get('?count=1'))
      for (const more of ['', '/styles', '/related']) await get(`/${id}${more}`);
  } catch (error) {
    if (tries === 1 || isFinal) throw error;
    await pause(watchMs / 5);
    await ask(base, tries - 1);
  }
}

/** Ready means connected: the canary must answer, now and after a while, and not end. @param {Program} program @param {NodeJS.ProcessEnv} env */
async function watch({ name, port }, env) {
  const pid = run([pm2, 'pid', name]);
  const base = `http://${env.HOST}:${port}/products`;
  await ask(base);
  await pause(watchMs);
  await ask(base);
  if (run([pm2, 'pid', name]) !== pid) throw new Error('ended and was restarted: see its log');
}

/** @param {string[]} words */
async function switchTo([id, ...words]) {
  const env = readSettings();
  const note = words.includes('--note') ? words[words.indexOf('--note') + 1] : id;
  // If this is killed, the link shows a later deploy or rollback which release had served.
  if (note !== id) link('interrupted', note);
  if (linked('current') !== id) link('current', id);
  const programs = words.includes('--backwards') ? programsIn(env).reverse() : programsIn(env);
  for (const [index, program] of programs.entries()) {
    try {
      if ((await endLost(program)) || servedBy(program.name) !== id) await reload(program, id, env);
      if (index === 0 && words.includes('--canary')) await watch(program, env);
    } catch (error) {
      throw new Error(`${program.name} of ${id} ${/** @type {Error} */ (error).message}`, { cause: error });
    }
  }
}

/** @param {string[]} words @throws {Error} if the release refuses the node's settings, or PM2 does not run */
function check([id]) {
  const env = readSettings();
  for (const { name } of programsIn(env)) servedBy(name);
  const test =
    'try { require(process.argv[1]).loadConfig() } catch (error) { console.error(error.message); process.exit(1) }';
  const file = path.join(folderOf(id), 'server/config/config.js');
  if (env.CATALOG_WORKERS) run([process.execPath, '-e', test, file], env);
}

/** @returns {string[]} the one that came last is the first */
function releases() {
  const age = (/** @type {string} */ id) => fs.statSync(folderOf(id)).ctimeMs;
  const all = fs.readdirSync(path.join(home, 'releases')).filter((id) => !id.startsWith('.'));
  return all.sort((one, other) => age(other) - age(one));
}

/** @param {string[]} others that another node runs, or would go back to */
function prune(others) {
  // PM2 starts every worker by a file of the release that it was started from, so that one stays, however old.
  const pid = `${readSettings().PM2_HOME}/pm2.pid`;
  const daemon = fs.existsSync(pid) ? targetOf(`/proc/${fs.readFileSync(pid, 'utf8').trim()}/exe`) : '';
  const names = [...others, ...['current', 'previous', 'interrupted'].map(linked), ...releases().slice(0, kept)];
  for (const id of releases().filter((one) => !names.includes(one) && !daemon.startsWith(`${folderOf(one)}/`)))
    fs.rmSync(folderOf(id), { recursive: true });
}

/** `whole`: the last release that served everywhere; `before`: the one that a rollback goes to. */
function state() {
  const [current, previous, interrupted] = ['current', 'previous', 'interrupted'].map(linked);
  const serves = Object.fromEntries(programsIn(readSettings()).map(({ name }) => [name, servedBy(name)]));
  const [whole, before] = [interrupted || current, interrupted || previous];
  console.log(JSON.stringify({ current, previous, whole, before, kept: releases(), serves }));
}

/** @type {Record<string, (words: string[]) => void | Promise<void>>} */
const actions = {
  state,
  check,
  to: switchTo,
  prune,
  settle: ([id = '']) => {
    link('previous', id);
    link('interrupted', '');
  },
};

Promise.resolve(process.argv.slice(3))
  .then(actions[process.argv[2]])
  .catch(({ message }) => {
    console.log(message); // a terminal of Ansible adds lines of ssh to the other output
    process.exit(1);
  });
