'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { UsageError } = require('../lib/command-line');
const { root } = require('../lib/runtime');

/*
 * The flags of `k6 run` that pass. All others are refused, because one that takes thresholds, requests or figures away would let
 * any test hold.
 */

/** @typedef {{ short?: string, value?: 'always' | 'inline', refuse?: (value: string) => string | undefined }} Flag `value`: whether it has one; `inline`: behind `=` only */

/** The rows of a test are told apart by them. */
const ownTags = ['route', 'scenario', 'status', 'error_code', 'proto', 'name', 'expected_response'];

/** It comes before the first step, and counts in none. */
const harmless = 'WARM_UP_SECONDS';

/** @returns {Set<string>} the variables that the scripts in k6/ read */
function ownVariables() {
  const files = fs.globSync(['k6/*.js', 'k6/lib/*.js'], { cwd: root });
  const texts = files.map((file) => fs.readFileSync(path.join(root, file), 'utf8'));
  return new Set(texts.flatMap((text) => text.match(/(?<=__ENV\.)\w+/g) ?? []));
}

/** @param {boolean} isRefused @param {string} why */
const when = (isRefused, why) => (isRefused ? why : undefined);

/** @type {Record<string, Flag>} */
const passing = {
  out: {
    short: 'o',
    value: 'always',
    refuse: (value) =>
      when(
        /^(csv|json)$|=(-?(,|$)|\/(dev|proc)\/)/.test(value),
        'k6 would write it between the figures that are read: name a file',
      ),
  },
  tag: {
    value: 'always',
    refuse: (value) => when(ownTags.includes(value.split('=')[0]), 'the figures are found by this tag'),
  },
  env: {
    short: 'e',
    value: 'always',
    refuse: (value) =>
      when(
        value.split('=')[0] !== harmless && ownVariables().has(value.split('=')[0]),
        'the tests read this variable: use the options of npm run k6, or its environment for WRITER_*, PATCH_RATE and STOCK_RATE',
      ),
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
    refuse: (value) => when(!/^(compact|full)$/.test(value), 'the figures are read from the summary'),
  },
};

/** @param {string} flag as it was typed @param {string} [why] */
const refusal = (flag, why = `these flags of k6 do: --${Object.keys(passing).join(', --')}`) =>
  new UsageError(`${flag} does not pass to k6: ${why}`);

/** @param {string[]} args that follow the second `--` @returns {string[]} the same @throws {UsageError} naming a flag that does not pass */
function checkFlags(args) {
  const kinds = Object.entries(passing).map(([name, { short, value }]) => {
    const type = /** @type {'string' | 'boolean'} */ (value === 'always' ? 'string' : 'boolean');
    return [name, short ? { type, short } : { type }];
  });
  const options = Object.fromEntries(kinds);
  for (const token of parseArgs({ args, options, strict: false, tokens: true }).tokens) {
    if (token.kind === 'option-terminator') throw refusal('"--"', 'only flags do, and their values');
    if (token.kind === 'positional') throw refusal(`"${token.value}"`, 'only flags do, and their values');
    if (!Object.hasOwn(passing, token.name)) throw refusal(token.rawName);
    const flag = passing[token.name];
    if (flag.value !== 'always') continue;
    const value = token.rawName.startsWith('--') ? token.value : token.value?.replace(/^=/, ''); // as k6 reads -e=A=B
    if (!value) throw new UsageError(`${token.rawName} of k6 needs a value`);
    const why = flag.refuse?.(value);
    if (why) throw refusal(`${token.rawName} ${value.split('=')[0]}`, why);
  }
  return args;
}

module.exports = { checkFlags, passing };
