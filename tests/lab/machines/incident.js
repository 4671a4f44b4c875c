'use strict';
const { execFileSync } = require('node:child_process');
const { setTimeout: sleep } = require('node:timers/promises');
const { runTool } = require('../../../scripts/lib/run');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { shapeOf } = require('./shape');
const { underLoad, underWrites } = require('./under-load');

/* Events have this in common: clients read through the public address all the time. */

const { address } = shapeOf('nine');
const base = `http://${address}`;
const writers = `https://${address}:8443`;

/**
 * @typedef {object} Fleet
 * @property {Record<string, Pick<import('./machine').Machine, 'boot' | 'processes' | 'run' | 'stop'>>} machines
 * @property {Pick<import('./admin-machine').Admin, 'runAside'>} admin
 * @property {Record<string, string>} addresses
 * @property {string} network
 * @property {string} dir for releases that are made
 * @property {string} release that serves
 */
/** @typedef {import('./under-load').Seen} Seen @typedef {import('./under-load').Written} Written */
/** @typedef {Parameters<Parameters<typeof underWrites>[1]>[0] & { key: string }} Writes */
/** @typedef {{ measured: string, pass: boolean, failures?: string[] }} Outcome */
/** @typedef {{ done: string, target: string, run: (fleet: Fleet, scale: number) => Promise<Outcome> }} Event `scale`: of load and rounds */

/** The fleet answers so many with room to spare when two cores run all of it. @param {number} requests @param {number} scale */
const sizeOf = (requests, scale) => ({ rate: scale < 1 ? 100 : 200, requests: requests * scale });
/** @param {number} count @param {number} scale */
const some = (count, scale) => Math.max(1, Math.round(count * scale));
/** @param {number} seconds @param {number} scale */
const pause = (seconds, scale) => sleep(some(seconds, scale) * 1000);

/** @param {Seen} seen @param {boolean} [also] @param {string} [more] @returns {Outcome} */
const outcome = ({ sent, failed, unsent, p99, max, slow, failures }, also = true, more = '') => ({
  measured: `${failed} failed of ${sent}; p99 ${p99} ms, longest ${max} ms, ${slow} over 300 ms${unsent ? `, ${unsent} NOT SENT` : ''}${more}`,
  pass: failed === 0 && unsent === 0 && also,
  failures,
});

/** @param {Written} written @param {number} pauseMs that writes may wait @returns {{ fine: boolean, text: string }} */
const writesOf = ({ acknowledged, lost, doubled, failures, pauseMs: waited }, pauseMs) => ({
  fine: lost === 0 && doubled === 0 && failures.length === 0 && waited <= pauseMs,
  text: `; of ${acknowledged} acknowledged writes ${lost} lost and ${doubled} doubled, ${failures.length} refused, longest pause ${(waited / 1000).toFixed(1)} s`,
});

/** @param {Fleet} fleet @param {string} name @param {string} script @returns {Promise<string>} output */
async function must({ admin }, name, script) {
  const { status, output } = await admin.runAside(name, script);
  if (status !== 0) throw new Error(`exit status ${status} on ${name} of\n${script}\n${output}`);
  return output;
}

/** @param {Fleet} fleet @param {string[]} words of curl, which runs on the client's side @returns {Promise<string>} */
async function curl({ network }, words) {
  const place = ['nsenter', `--net=/run/netns/${network}`, 'curl', '-sk', '-m', '5'];
  return (await runTool([...place, ...words], { keepOutput: true })).output;
}

/** @param {string} what @param {() => boolean | Promise<boolean>} condition @param {number} timeoutMs */
async function until(what, condition, timeoutMs) {
  if (!(await waitUntil(condition, timeoutMs))) throw new Error(`after ${timeoutMs / 1000} s not yet: ${what}`);
}

/** @param {Fleet} fleet @param {string} name */
const switchOn = ({ machines, addresses, network }, name) => machines[name].boot({ address: addresses[name], network });

/** @param {Fleet} fleet @param {string} name @param {string[]} words nomaster: its packets vanish; master br0: it is back */
const plug = ({ addresses, network }, name, ...words) =>
  void execFileSync('ip', ['-n', network, 'link', 'set', `p${addresses[name].replaceAll('.', '-')}`, ...words]);

/** @param {Fleet} fleet @param {string[]} names @param {number} ms for which all processes of these machines are stopped */
async function freeze({ machines }, names, ms) {
  const pids = names.flatMap((name) => machines[name].processes());
  const signal = (/** @type {NodeJS.Signals} */ each) => {
    for (const pid of pids)
      try {
        process.kill(pid, each);
      } catch {
        // It had just ended.
      }
  };
  signal('SIGSTOP');
  await sleep(ms);
  signal('SIGCONT');
}

/** @param {Fleet} fleet @param {Parameters<typeof underLoad>[1]} size @param {() => Promise<void>} happen */
const underReads = ({ network }, size, happen) => underLoad({ network, base }, size, happen);

/** @param {Fleet} fleet @param {Parameters<typeof underLoad>[1]} size @param {(writes: Writes) => Promise<void>} happen */
async function underBoth(fleet, size, happen) {
  const words = `create events-${Date.now()} --scopes content,stock,history,changes`;
  const key = (await must(fleet, 'db-1', `catalog-key ${words}`)).trim();
  /** @type {Seen | undefined} */
  let seen;
  const written = await underWrites({ network: fleet.network, base: writers, key }, async (writes) => {
    seen = await underReads(fleet, size, () => happen({ ...writes, key }));
  });
  return { seen: /** @type {Seen} */ (seen), written };
}

module.exports = {
  ...{ address, base, curl, freeze, must, outcome, pause, plug, sizeOf, some, switchOn, underBoth, underReads, until },
  ...{ writers, writesOf },
};
