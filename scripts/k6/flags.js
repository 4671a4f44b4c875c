'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { UsageError } = require('../lib/command-line');
const { root } = require('../lib/runtime');

/*
 * The flags of `k6 run` that pass. All others are refused, because one that takes thresholds, requests or figures away would let
 * any test hold.
 */

/** @typedef {{ short?: string, value?: 'always' | 'inline', refuse?: (value: string) => string | undefined }} Flag `value`: whether it has one; `inline`: behind `=` only */

/** k6/lib/loads.js tells the rows of a test by them. */
const ownTags = ['route', 'scenario', 'status', 'error_code', 'proto', 'name', 'expected_response'];

/** It comes before the first step, and counts in none. */
const harmless = 'WARM_UP_SECONDS';

/** @returns {Set<string>} the variables that the scripts in k6/ read */
function ownVariables() {
  const files = ['k6', 'k6/lib'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.js'))
      .map((name) => path.join(root, folder, name)),
  );
  return new Set(files.flatMap((file) => fs.readFileSync(file, 'utf8').match(/(?<=__ENV\.)\w+/g) ?? []));
}

/** @type {Record<string, Flag>} */
const passing = {
  out: {
    ...{ short: 'o', value: 'always' },
    refuse: (value) =>
      /^(csv|json)$|=(-?(,|$)|\/(dev|proc)\/)/.test(value)
        ? 'k6 would write it between the samples that are read: name a file'
        : undefined,
  },
  tag: {
    value: 'always',
    refuse: (value) => (ownTags.includes(value.split('=')[0]) ? 'the figures are found by this tag' : undefined),
  },
  env: {
    ...{ short: 'e', value: 'always' },
    refuse: (value) =>
      value.split('=')[0] !== harmless && ownVariables().has(value.split('=')[0])
        ? 'the tests read this variable: use the options of npm run k6, or its environment for WRITER_*, PATCH_RATE and STOCK_RATE'
        : undefined,
  },
  'insecure-skip-tls-verify': {},
  dns: { value: 'always' },
  'local-ips': { value: 'always' },
  'user-agent': { value: 'always' },
  verbose: { short: 'v' },
  'http-debug': { value: 'inline' },
  'traces-output': { value: 'always' },
  'secret-source': { value: 'always' },
  'summary-mode': {
    value: 'always',
    refuse: (value) => (/^(compact|full)$/.test(value) ? undefined : 'the figures are read from the summary'),
  },
};

const known = Object.keys(passing)
  .map((name) => `--${name}`)
  .join(', ');

/** @param {string} flag as it was typed @param {string} [why] */
const refusal = (flag, why = `these flags of k6 do: ${known}`) => new UsageError(`${flag} does not pass to k6: ${why}`);

/** @typedef {{ typed: string, flag: Flag, value: string | undefined }} Token one flag, and its value if that is in the same word */

/** @param {string} word as --out=json=FILE @returns {Token[]} */
function longFlag(word) {
  const at = word.indexOf('=');
  const [typed, value] = at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
  const name = typed.slice(2);
  if (!Object.hasOwn(passing, name)) throw refusal(typed);
  return [{ typed, flag: passing[name], value }];
}

/** @param {string} word as -ve A=B: flags without a value, and the last one may have one @returns {Token[]} */
function shortFlags(word) {
  /** @type {Token[]} */
  const tokens = [];
  for (let at = 1; at < word.length; at += 1) {
    const flag = Object.values(passing).find(({ short }) => short === word[at]);
    if (!flag) throw refusal(`-${word[at]}`);
    const rest = word.slice(at + 1);
    const hasValue = rest !== '' && (flag.value === 'always' || rest.startsWith('='));
    tokens.push({ typed: `-${word[at]}`, flag, value: hasValue ? rest.replace(/^=/, '') : undefined });
    if (hasValue) break;
  }
  return tokens;
}

/** @param {string[]} words that follow the second `--` @returns {string[]} the same @throws {UsageError} naming a flag that does not pass */
function checkFlags(words) {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!/^-./.test(word) || word === '--') throw refusal(`"${word}"`, 'only flags do, and their values');
    for (const { typed, flag, value: inline } of word.startsWith('--') ? longFlag(word) : shortFlags(word)) {
      if (flag.value !== 'always') continue;
      const value = inline ?? words[(at += 1)];
      if (!value) throw new UsageError(`${typed} of k6 needs a value`);
      const why = flag.refuse?.(value);
      if (why) throw refusal(`${typed} ${value.split('=')[0]}`, why);
    }
  }
  return words;
}

module.exports = { checkFlags, passing };
