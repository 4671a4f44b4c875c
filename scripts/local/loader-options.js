'use strict';
const { UsageError } = require('../lib/command-line');
const { parseWords, shellLine } = require('../lib/words');

/*
 * Options of the loader's command `load`. A test compares them with the loader's own (etl/cli.py).
 */

/** @type {import('../lib/words').Options} */
const loadOptions = {
  'database-url': { type: 'string' },
  jobs: { type: 'string' },
  rejects: { type: 'string' },
  chunk: { type: 'string' },
  'max-reject': { type: 'string' },
  campus: { type: 'string' },
  'no-search': { type: 'boolean' },
  language: { type: 'string' },
  'as-of': { type: 'string' },
  'max-rejected-writes': { type: 'string' },
  'drop-writes': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  again: { type: 'boolean' },
  check: { type: 'boolean' },
  help: { type: 'boolean' },
};

/** Options that `npm start` sets itself, and what to use instead. @type {Record<string, string>} */
const decidedByStart = {
  'database-url': 'set DATABASE_URL',
  'dry-run': 'use npm run load -- DIR -- --dry-run on a running stack',
  again: 'use --fresh',
  check: 'npm start checks the files by itself',
  help: 'use npm run etl -- load --help',
};

/**
 * @param {string} name of the command as it is typed @param {string[]} words that follow the second `--`
 * @returns {string[]} the same @throws {UsageError} for what the loader does not take
 */
function requireLoaderOptions(name, words) {
  parseWords(`${name} …`, { options: loadOptions, args: words, hint: 'npm run etl -- load --help shows the options' });
  return words;
}

/** @param {string[]} words @param {string | undefined} data @returns {string[]} the same @throws {UsageError} */
function requireStartOptions(words, data) {
  requireLoaderOptions('npm start -- --data DIR --', words);
  const typed = words.map((word) => word.replace(/^--/, '').replace(/=.*/, ''));
  const refused = typed.find((name) => Object.hasOwn(decidedByStart, name));
  if (refused) throw new UsageError(`--${refused} is not for npm start: ${decidedByStart[refused]}`);
  if (words.length > 0 && !data)
    throw new UsageError(`options of the loader need --data: type npm start -- --data DIR -- ${shellLine(words)}`);
  return words;
}

module.exports = { loadOptions, requireLoaderOptions, requireStartOptions };
