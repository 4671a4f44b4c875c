'use strict';
const { fromCallersFolder, runLoader } = require('./lib/commands');
const { helpOf } = require('./lib/help');
const { runLoading } = require('./lib/run');
const { describeState, findStack, noStack, stateFolder, stateOption } = require('./local/state');
const { exitWith, untilSignal, UsageError } = require('./lib/command-line');
const { loadOptions } = require('./local/start-options');
const { parseWords, refuseKept, toggle } = require('./lib/words');

const options = { state: stateOption };
const help = helpOf(
  'npm run etl -- [--state DIR] COMMAND [options of the loader]',
  {
    about:
      'Runs a command of the loader on the running stack: upsert, export, unswap, verify, status, or a step of a load (etl/README.md). Rejected rows go below the same folder.',
    rows: [['COMMAND --help', 'the options of a command']],
  },
  options,
);

/** @returns {Promise<number | void>} exit status of the loader */
async function main() {
  const typed = process.argv.slice(2);
  const own = typed[0] === '--state' ? 2 : Number(/^--(state=|help$)/.test(typed[0] ?? ''));
  refuseKept(
    { name: 'npm run etl', words: ['COMMAND'], options: { ...loadOptions, served: toggle(''), ...options } },
    typed,
  );
  const { values } = parseWords('npm run etl', { args: typed.slice(0, own), options });
  if (values.help) return void console.log(help);
  const words = typed.slice(own);
  if (words.length === 0) throw new UsageError('COMMAND is missing: type npm run etl -- --help');
  const state = describeState(stateFolder(values.state));
  const stack = findStack(state.dir);
  const [step, ...rest] = words;
  // First of the options, for the last one counts: what is typed wins.
  const placed = step.startsWith('-') ? words : [step, '--rejects', state.rejects, ...rest];
  const { cwd, env } = fromCallersFolder(stack?.loaderDsn ?? '', 'npm run etl');
  const [writePort] = stack?.writePorts ?? []; // a stack of an earlier release names none
  if (writePort) env.WRITER_URL ||= `http://127.0.0.1:${writePort}`;
  // The loader alone knows its words, and names a wrong one first.
  if (!stack) env.CATALOG_NO_DATABASE = noStack(state.dir);
  return runLoading(runLoader(...placed), { cwd, env, signal: untilSignal() });
}

exitWith(main());
