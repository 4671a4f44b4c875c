'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { environment } = require('../scripts/lib/environment');
const { root, python } = require('../scripts/lib/runtime');
const report = require('./helpers/test-report');
const { startTestServers } = require('./helpers/test-servers');
const { runTool } = require('../scripts/lib/run');
const { yargsOptions } = require('jest-cli');
const { untilSignal, UsageError } = require('../scripts/lib/command-line');
const { runCommand } = require('../scripts/lib/words');

/** @type {import('../scripts/lib/words').Options} */
const jestOptions = Object.fromEntries(
  Object.entries(yargsOptions).map(([name, { alias, type }]) => [
    name,
    {
      type: type === 'boolean' ? 'boolean' : 'string',
      ...(typeof alias === 'string' && alias.length === 1 && { short: alias }),
    },
  ]),
);

/**
 * @param {string[]} words what follows `npm test --`
 * @returns {{ jest: string[] | null, pytest: string[] | null }} arguments of each; null: it is not wanted
 */
function share(words) {
  const forPytest = words.filter((word) => /^(\.\/)?tests\/etl(\/|$)/.test(word));
  const forJest = words.filter((word) => !forPytest.includes(word));
  if (words.length === 0) return { jest: [], pytest: ['tests/etl'] };
  return { jest: forJest.length > 0 ? forJest : null, pytest: forPytest.length > 0 ? forPytest : null };
}

/**
 * Checked before servers start.
 * @param {string[]} patterns @param {boolean} long
 * @throws {UsageError} when one of them matches no file
 */
function requireMatches(patterns, long) {
  const files = fs.globSync('tests/**/*.test.js', { cwd: root }).map((file) => path.join(root, file));
  const isForPytest = (/** @type {string} */ word) =>
    word.includes('tests/etl') && fs.existsSync(path.resolve(root, word.replace(/::.*/, '')));
  const matching = (/** @type {string} */ word) => files.filter((file) => new RegExp(word, 'i').test(file));
  const isRun = (/** @type {string} */ file) => file.endsWith(report.longFiles) === long;
  const idle = patterns.find((word) => !isForPytest(word) && !matching(word).some(isRun));
  if (idle === undefined) return;
  const other = long ? 'npm test' : 'npm run test:long';
  const next = matching(idle).length > 0 ? `${other} runs it` : 'npm test -- --help shows what it may be';
  throw new UsageError(`no test file matches "${idle}"; ${next}`);
}

/** More failed files than this fail of the same thing, not of what ran beside them. */
const mostAgain = 3;

/**
 * Jest on every core. Long tests kill servers, fill disks and wait for clocks beside each other, on whatever cores there are: a file of
 * theirs that fails is run once more, alone, and what passes then is named.
 * @param {string[]} words patterns and options @param {boolean} long @param {NodeJS.ProcessEnv} env @param {string} dir @param {AbortSignal} signal
 */
async function runJest(words, long, env, dir, signal) {
  const jestFile = path.join(root, 'node_modules/jest/bin/jest.js');
  const run = async (/** @type {string[]} */ own, /** @type {number} */ workers, /** @type {string} */ file) => {
    const options = report.wordsOfJest({ long, workers, report: file });
    return (await runTool([process.execPath, jestFile, ...options, ...own], { env, signal })).status;
  };
  const files = ['jest.json', 'jest-again.json'].map((name) => path.join(dir, name));
  const first = report.readJestReports(files.slice(0, 1), await run(words, os.availableParallelism(), files[0]));
  const { failedFiles } = first;
  if (!long || signal.aborted || failedFiles.length === 0 || failedFiles.length > mostAgain) return first;
  console.log(`\nonce more, alone: ${failedFiles.map((file) => path.relative(root, file)).join(', ')}`);
  const second = report.readJestReports(files, await run(['--runTestsByPath', ...failedFiles], 1, files[1]));
  for (const file of failedFiles.filter((each) => !second.failedFiles.includes(each)))
    console.log(`UNSTEADY ${path.relative(root, file)}: failed beside others, passed alone`);
  return second;
}

/**
 * Jest, and pytest with what it leaves of the cores; pytest's output follows Jest's.
 * @param {ReturnType<typeof share> & { long: boolean }} wanted @param {NodeJS.ProcessEnv} env @param {string} dir
 * @param {AbortSignal} signal
 */
async function runTools(wanted, env, dir, signal) {
  const pytestReport = path.join(dir, 'pytest.xml');
  const pytestConfig = ['-c', path.join(root, 'etl/pyproject.toml'), `--rootdir=${root}`];
  const pytestOptions = ['-rfEs', '-p', 'no:cacheprovider', `--junitxml=${pytestReport}`];
  const pytestWords = ['-m', 'pytest', ...pytestConfig, ...pytestOptions, '-m', wanted.long ? 'long' : 'not long'];
  const jest = wanted.jest ? runJest(wanted.jest, wanted.long, env, dir, signal) : null;
  const pytest = wanted.pytest
    ? runTool(['nice', '-n', '10', python, ...pytestWords, ...wanted.pytest], { env, signal, keepOutput: true })
    : null;
  const ofJest = await jest;
  const counts = ofJest ? [ofJest.count] : [];
  if (pytest) {
    const { status, output } = await pytest;
    process.stdout.write(`\n${output}`);
    counts.push(report.readJunitReport(pytestReport, status));
  }
  for (const reason of ofJest?.skipReasons ?? []) console.log(`SKIPPED ${reason}`);
  return counts;
}

/** @type {import('../scripts/lib/help').Help} */
const help = {
  about:
    'Starts servers on free ports, runs every test against them, and stops them. npm run test:long runs those that take long.',
  rows: [
    ['PATTERN', 'the Jest files whose path matches; a path in tests/etl, which pytest runs'],
    ['-t TITLE', 'and other options of Jest'],
  ],
};
const long = process.argv.includes('--long');
const args = process.argv.slice(2).filter((word) => word !== '--long');
const config = { help, words: ['[PATTERN…]'], args, options: jestOptions };

runCommand(long ? 'npm run test:long' : 'npm test', config, async ({ positionals }) => {
  requireMatches(positionals, long);
  const wanted = { ...share(args), long };
  const signal = untilSignal();
  const { dir, env, stop } = await startTestServers();
  try {
    if (signal.aborted) return 1;
    const { line, ok } = report.summaryLine(await runTools(wanted, environment('test', env), dir, signal));
    console.log(signal.aborted ? `interrupted\n${line}` : line);
    return ok && !signal.aborted ? 0 : 1;
  } finally {
    const left = await stop();
    if (left > 0 && !signal.aborted) console.error(`tests left ${left} processes running: stopped them`);
  }
});
