'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { interruptedStatus, untilSignal, UsageError, wholeNumber } = require('../../scripts/lib/command-line');
const { option, runCommand, toggle } = require('../../scripts/lib/words');
const { stateVariable, stopStartedWith } = require('../../scripts/local/leftovers');
const { freePort } = require('../helpers/servers');
const { runLab } = require('./run-lab');

const longestTestMs = 30 * 60_000;
const suites = path.join(__dirname, 'faults');

/** @type {import('../../scripts/lib/help').Help} */
const help = {
  about: 'Makes every fault (--list) on a real chain under constant traffic, and judges what clients notice.',
  rows: [['ID', 'R2, or R for all whose id begins so (default: all)']],
  more: 'Exit status 1: a target was missed; 2: none, but a fault could not be made here.',
};

const read = (/** @type {string} */ file) => fs.readFileSync(path.join(suites, file), 'utf8');
/** Titles of all faults, each with its id first. */
const titles = fs
  .globSync('*.lab.js', { cwd: suites })
  .flatMap((file) => read(file).match(/(?<=['"])[A-Z]\d+[a-z]? .*?(?=['"],)/g) ?? [])
  .toSorted(new Intl.Collator('en', { numeric: true }).compare);

/** @param {string[]} names @returns {RegExp} of the titles that they mean */
function chosen(names) {
  const ids = titles.map((title) => title.split(' ')[0]);
  const patterns = names.map((name) => (/\d/.test(name) ? `${name}[a-z]?` : `${name}\\d+[a-z]?`));
  const unknown = names.find((_, at) => !ids.some((id) => new RegExp(`^${patterns[at]}$`).test(id)));
  if (unknown) throw new UsageError(`no fault "${unknown}": npm run faults -- --list shows them`);
  return new RegExp(`(^| )(${patterns.join('|') || '[A-Z]\\d+[a-z]?'}) `);
}

/** @param {RegExp} pattern of titles @param {import('./testbed/rig').RigOptions} options @returns {Promise<number>} exit status */
async function runSuites(pattern, options) {
  const { openRig } = require('./testbed/rig');
  const rig = await openRig(options);
  try {
    const { success, chosen } = await runLab('./faults/', pattern, { rig }, longestTestMs);
    const skipped = chosen.filter(({ status }) => status === 'pending');
    for (const { title } of skipped) console.log(`SKIPPED ${title}`); // Jest is silent about a file that ran no test
    if (!success) return 1;
    return chosen.length > 0 && skipped.length === 0 ? 0 : 2;
  } finally {
    await rig.close();
  }
}

/** Begun by a signal; it ends this process. @type {Promise<never> | undefined} */
let stopping;

const config = {
  help,
  failed: 2,
  words: ['[ID…]'],
  options: {
    short: toggle('a sixth of every duration, and no time is judged'),
    list: toggle('prints the faults and stops'),
    products: option('N', 'products of the generated catalog', '10000'),
    rate: option('R', 'requests a second of the constant traffic', '1000'),
  },
};

/** @param {import('../../scripts/lib/words').Typed<typeof config.options>} typed @returns {Promise<number | void>} exit status */
async function main({ values, positionals }) {
  const pattern = chosen(positionals);
  if (values.list) return titles.filter((title) => pattern.test(title)).forEach((title) => console.log(title));
  const options = {
    products: wholeNumber('products', values.products, 10_000_000),
    rate: wholeNumber('rate', values.rate, 1_000_000),
    short: Boolean(values.short),
    port: await freePort(10),
    dir: fs.mkdtempSync(path.join(os.tmpdir(), 'faults-')),
    say: console.error,
  };
  const { dir } = options;
  process.env[stateVariable] = dir;
  untilSignal().addEventListener('abort', () => {
    console.error('faults: stopping');
    const end = () => process.exit(interruptedStatus);
    stopping = stopStartedWith(stateVariable, dir).then(end, end);
  });
  let status = 2;
  try {
    return (status = await runSuites(pattern, options));
  } finally {
    const left = await stopStartedWith(stateVariable, dir);
    if (left > 0) console.error(`stopped ${left} processes that faults left behind`);
    if (status === 0) fs.rmSync(dir, { recursive: true });
    else console.error(`the logs of its servers are in ${dir}/logs`);
  }
}

runCommand('npm run faults', config, (typed) => main(typed).finally(() => stopping));
