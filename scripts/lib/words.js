'use strict';
const { parseArgs } = require('node:util');
const { nearest } = require('../../server/core/nearest');
const { exitWith, UsageError } = require('./command-line');
const { helpOf } = require('./help');

/*
 * Parses the words of a command, and refuses those that it does not take: ignoring one would run something else.
 */

/**
 * `value` and `about`: as the help shows them.
 * @typedef {Record<string, { type: 'string' | 'boolean', value?: string, about?: string, short?: string, default?: any, multiple?: boolean }>} Options
 */

/**
 * An option with a value.
 * @template {string | undefined} T
 * @param {string} value as the help shows it: `DIR` @param {string} about @param {T} [fallback]
 */
const option = (value, about, fallback) => ({
  type: /** @type {const} */ ('string'),
  value,
  about,
  default: /** @type {T} */ (fallback),
});
/** An option that is given or not. @param {string} about */
const toggle = (about) => ({ type: /** @type {const} */ ('boolean'), about, default: false });

/**
 * npm reads options before "--" as its own settings and keeps them from the command. These names reach us without being typed:
 * node-gyp reads `jobs` from .npmrc, `cache` and `color` are set by npm itself.
 */
const setWithoutTyping = ['cache', 'color', 'help', 'jobs'];

/** @param {string} word @returns {string} one word of a POSIX shell */
const shellWord = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** @param {string[]} words @returns {string} what is typed to a shell */
const shellLine = (words) => words.map(shellWord).join(' ');

/**
 * @param {string} what kind of word: `test` @param {string} word @param {string[]} names that it may be
 * @returns {string} the word @throws {UsageError} naming the nearest
 */
function requireOneOf(what, word, names) {
  if (names.includes(word)) return word;
  const near = nearest(word, names);
  throw new UsageError(`no ${what} "${word}": ${near ? `did you mean ${near}? ` : ''}use ${names.join(', ')}`);
}

/** @typedef {ReturnType<typeof tokensOf>[number]} Token */

/** @param {string[]} args @param {Options} options */
const tokensOf = (args, options) =>
  /** @type {NonNullable<ReturnType<typeof parseArgs>['tokens']>} */ (
    parseArgs({ args, options: /** @type {any} */ (options), strict: false, allowPositionals: true, tokens: true })
      .tokens
  );

/** @param {Token[]} tokens @returns {string[]} */
const typedWords = (tokens) => tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));

/**
 * @typedef {object} Command
 * @property {string} name as it is typed: `npm run load`
 * @property {Options} options
 * @property {string[]} words that follow, as the usage shows them: `DIR` is needed, `[DIR]` is not, of `DIR…` there may be several
 * @property {Options} [further] options of the loader, which follow a second `--`
 * @property {string} [hint] how to see the options, where it is not `NAME -- --help`
 */

/** @param {Command} command @returns {string} */
const usageOf = ({ name, words }) => [name, ...(words.length > 0 ? ['--', ...words] : [])].join(' ');

/** @param {string} name @param {{ words?: string[], actions?: Record<string, string[]>, further?: Options, options: Options }} command */
const usageWith = (name, { words = [], further, options }) =>
  [
    name,
    '--',
    ...words,
    ...(Object.keys(options).length > 0 ? ['[options]'] : []),
    ...(further ? ['[-- options of the loader]'] : []),
  ].join(' ');

/** @param {Command} command @returns {string} */
const hintOf = ({ name, hint = `${name} -- --help shows the options` }) => hint;

/**
 * @param {Command} command @param {string[]} names of options
 * @returns {string} the command with the options in their places, and … for what else was typed
 */
function lineWith({ name, options, further = {} }, names) {
  const written = (/** @type {Options} */ known) =>
    names
      .filter((each) => Object.hasOwn(known, each))
      .map((each) => (known[each].type === 'boolean' ? `--${each}` : `--${each} …`));
  const theirs = written(further);
  return [name, '--', '…', ...written(options), ...(theirs.length > 0 ? ['--', ...theirs] : [])].join(' ');
}

/**
 * Refuses options that npm has kept, which it leaves in npm_config_NAME.
 * @param {Command} command @param {string[]} args
 */
function refuseKept(command, args) {
  const options = { ...command.further, ...command.options };
  const given = tokensOf(args, options).map((token) => (token.kind === 'option' ? token.name : ''));
  const kept = Object.keys(options).filter(
    (name) =>
      process.env[`npm_config_${name.replaceAll('-', '_')}`] &&
      !setWithoutTyping.includes(name) &&
      !given.includes(name),
  );
  if (kept.length === 0) return;
  const names = kept.map((name) => `--${name}`).join(', ');
  throw new UsageError(`npm keeps options before "--" for itself (${names}): type ${lineWith(command, kept)}`);
}

/** @param {Command} command @param {Token & { kind: 'option' }} option that is none of its own */
function unknownOption(command, { name, rawName }) {
  const { further = {}, options } = command;
  if (Object.hasOwn(further, name))
    return new UsageError(
      `${rawName} is an option of the loader, and those follow a second "--": type ${lineWith(command, [name])}`,
    );
  const near = nearest(name, Object.keys(options));
  return new UsageError(`unknown option '${rawName}'${near ? `: did you mean --${near}?` : ';'} ${hintOf(command)}`);
}

/** @param {Command} command @param {Token[]} tokens @throws {UsageError} */
function checkOptions(command, tokens) {
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(command.options, name)) throw unknownOption(command, token);
    const takesValue = command.options[name].type === 'string';
    if (takesValue && (!value || (!inlineValue && value.startsWith('--'))))
      throw new UsageError(`${rawName} needs a value; ${hintOf(command)}`);
    if (!takesValue && value !== undefined) throw new UsageError(`${rawName} takes no value; ${hintOf(command)}`);
  }
}

/** @param {Command} command @param {string[]} typed @throws {UsageError} */
function checkWords(command, typed) {
  const least = command.words.filter((word) => !/[[…]/.test(word)).length;
  const most = command.words.some((word) => word.includes('…')) ? Infinity : command.words.length;
  if (typed.length < least)
    throw new UsageError(`${command.words[typed.length]} is missing: type ${usageOf(command)}; ${hintOf(command)}`);
  if (typed.length <= most) return;
  const takes = most === 0 ? `${command.name} takes options only` : `type ${usageOf(command)}`;
  const hint = /DIR|OUT|\.json|\bA\b/.test(command.words.join(' ')) ? ' (quote a path that has spaces)' : '';
  throw new UsageError(`unexpected word "${typed[most]}": ${takes}${hint}; ${hintOf(command)}`);
}

/**
 * `options` besides --help; `words`, `further` and `hint` as in Command; `actions`: the words that follow, where the first one is such
 * a name; `args`: what was typed.
 * @template {Options} T
 * @typedef {{ options: T, words?: string[], actions?: Record<string, string[]>, further?: Options, hint?: string, args?: string[] }} Config
 */
/**
 * `further`: what follows a second `--`, where the command takes that.
 * @template {Options} T
 * @typedef {{ values: ReturnType<typeof parseArgs<{ options: T & { help: ReturnType<typeof toggle> } }>>['values'], positionals: string[], further: string[] }} Typed
 */

/**
 * @template {Options} T
 * @param {string} name as the command is typed: `npm run load` @param {Config<T>} config @returns {Typed<T>} @throws {UsageError}
 */
function parseWords(name, { words = [], actions = {}, further, args = process.argv.slice(2), hint, ...config }) {
  const options = { ...config.options, help: toggle('this text') };
  const end = further ? args.indexOf('--') : -1;
  const own = end < 0 ? args : args.slice(0, end);
  const tokens = tokensOf(own, options);
  const positionals = typedWords(tokens);
  const [first] = positionals;
  const asked = Object.hasOwn(actions, first) ? [first, ...actions[first]] : words;
  const command = { name, options, words: asked, further, hint };
  refuseKept(command, args);
  checkOptions(command, further ? tokensOf(own, { ...further, ...options }) : tokens);
  const { values } = parseArgs({ args: own, options, strict: false, allowPositionals: true });
  if (!values.help) checkWords(command, positionals);
  return { values: /** @type {any} */ (values), positionals, further: end < 0 ? [] : args.slice(end + 1) };
}

/**
 * Prints the help of a command or does its work, and ends the process with its exit status.
 * @template {Options} T
 * @param {string} name as it is typed @param {Config<T> & { help: import('./help').Help, failed?: number }} config `failed`: see exitWith
 * @param {(typed: Typed<T>) => Promise<number | void>} work its exit status; without one 0
 */
function runCommand(name, { help, failed, ...config }, work) {
  const run = async () => {
    const typed = parseWords(name, config);
    if (/** @type {{ help?: boolean }} */ (typed.values).help)
      return console.log(helpOf(usageWith(name, config), help, config.options));
    return work(typed);
  };
  return exitWith(run(), { failed });
}

module.exports = {
  option,
  parseWords,
  refuseKept,
  requireOneOf,
  runCommand,
  shellLine,
  shellWord,
  toggle,
  usageWith,
};
