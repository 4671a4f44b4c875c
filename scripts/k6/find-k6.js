'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('../lib/environment');
const { withInstallLock } = require('../lib/lock');
const { runTool } = require('../lib/run');
const { runtimeDir } = require('../lib/runtime');

/** Built if none is found; the tests were written with it. */
const version = 'v1.8.1';
const folder = path.join(runtimeDir, 'k6');
const built = path.join(folder, `k6-${version}`);

const advice =
  'install k6 1.0 to 2.x (https://grafana.com/docs/k6/latest/set-up/install-k6/), put it on the PATH or name it in ' +
  'K6_BIN; or install Go, and it is built here';

/** @param {string} program @returns {Promise<string | undefined>} what its command `version` prints; undefined if it cannot run */
const versionText = (program) =>
  runTool([program, 'version'], { env: environment('k6'), keepOutput: true }).then(
    ({ output }) => output,
    () => undefined,
  );

/** @param {string} program @returns {Promise<string | undefined>} as `v1.8.1` */
const versionOf = async (program) => /\bk6\S* (v\d+\.\S+)/.exec((await versionText(program)) ?? '')?.[1];

/** The scripts in k6/ run on 1.0 to 2.x. @param {string | undefined} version */
const serves = (version) => version !== undefined && /^v[12]\./.test(version);

/** Builds it once for each version, in a folder of its own: half a k6 looks complete to Go. @param {AbortSignal} [signal] */
async function build(signal) {
  const work = path.join(folder, 'building');
  const remove = () => fs.rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  remove(); // what a killed build left
  fs.mkdirSync(work);
  try {
    const env = environment('go', { GOBIN: work, GOTMPDIR: work });
    const command = ['go', 'install', `go.k6.io/k6@${version}`];
    const { status, output } = await runTool(command, { env, keepOutput: true, signal });
    if (signal?.aborted) throw new Error('interrupted while Go built k6; nothing of it is left');
    if (status !== 0) throw new Error(`go install k6 failed: ${output.trim().split('\n').at(-1)}; ${advice}`);
    fs.renameSync(path.join(work, 'k6'), built);
  } finally {
    remove();
  }
}

/**
 * The k6 to run: K6_BIN, the one on the PATH, or one that Go builds into .runtime/.
 * @param {(line: string) => void} say
 * @param {AbortSignal} [signal] ends the building
 * @returns {Promise<{ k6: string, version: string }>}
 */
async function findK6(say, signal) {
  const k6 = process.env.K6_BIN || (serves(await versionOf('k6')) ? 'k6' : built);
  if (k6 === built && !fs.existsSync(built)) {
    if ((await versionText('go')) === undefined) throw new Error(`k6 is missing: ${advice}`);
    fs.mkdirSync(folder, { recursive: true });
    say(`no k6 1.0 to 2.x is on the PATH: building ${version} with Go, once`);
    // Another run may have built it while this one waited.
    await withInstallLock(folder, say, async () => fs.existsSync(built) || build(signal), signal);
  }
  const found = await versionOf(k6);
  if (!found || !serves(found)) throw new Error(`${k6} is ${found ?? 'no k6'}: ${advice}`);
  return { k6, version: found };
}

module.exports = { findK6 };
