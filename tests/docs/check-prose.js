'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('./sources');

/* Checks the prose of README.md and DECISIONS.md, the first words of comments, and titles of tests. `npm run check` runs it. */

const maxWords = 30;
const maxTitle = 90;

/** Released migrations keep their bytes. */
const released = /^db\/migrations\/0(0\d|1[01])_/;
/** @type {[RegExp, string][]} words of a dialect, and what to write instead */
const plainWords = [
  [/\bin place of\b/gi, 'instead of'],
  [/\b(go|goes|going|went) on\b/gi, 'resume or continue'],
  [/\banew\b/gi, 'again, or recreated'],
  [/\bfor ever\b/gi, 'forever'],
  [/\blikewise\b/gi, 'also'],
  [/\bmeanwhile\b/gi, 'during the …, or nothing'],
  [/\b(whoever|nobody|somebody)\b/gi, 'the role: the caller, no client, an operator'],
  [/\btold\b/gi, 'reported, logged'],
  [/\b(stands?|lies?) in\b/gi, 'is in'],
  [/\bPrice:/g, 'Trade-off:'],
  [/(?<=^|[.!?]\s+|\n\s*\n|\n[-*] )Of (the|a|these|those|it|them|what)\b/g, 'the subject first'],
  [/\bbars?\b/gi, 'target'],
  [/\bthe journal\b/gi, 'the predecessor'],
  [/\brungs?\b/gi, 'rate step'],
  [/\bwitness(es)?\b/gi, 'reference endpoint'],
  [/\beyes\b/gi, 'instrumentation'],
  [/\bcontestants?\b/gi, 'baseline'],
  [/\bpoison(ed|s|ing)?\b/gi, 'corrupt'],
  [/\bcatalogues?\b/gi, 'index (of faults), catalog (of products)'],
];

/** Keeps the lines, so that their numbers stay. @param {string} text */
const blank = (text) => text.replace(/[^\n]/g, ' ');

/** @param {string} text Markdown @returns {string} its prose, on the same lines */
const proseOf = (text) =>
  text
    .replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank)
    .replace(/<!--[\s\S]*?-->|^ *\|.*$|(?<=\])\([^)]*\)/gm, blank)
    .replace(/`[^`]+`/g, (code) => code.replace(/[^\n]/g, '').padStart(code.length, '0')) // one word
    .replace(/^#+ .*$/gm, '$&.');

const sentence = /\S[\s\S]*?(?:[.!?][)"'*_]*(?=\s)|(?=\n\s*\n|\n *([-*]|\d+\.) |(?![\s\S])))/g;

/** @param {string} text Markdown @returns {{ line: number, message: string }[]} what to change */
function problemsIn(text) {
  const prose = proseOf(text);
  const long = [...prose.matchAll(sentence)].flatMap(({ 0: found, index }) => {
    const words = found.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
    return words > maxWords ? [{ index, message: `sentence: ${words} words, at most ${maxWords}: split it` }] : [];
  });
  const wrong = plainWords.flatMap(([pattern, plain]) =>
    [...prose.matchAll(pattern)].map(({ 0: found, index }) => ({ index, message: `word: "${found}": write ${plain}` })),
  );
  const lineAt = (/** @type {number} */ index) => prose.slice(0, index).split('\n').length;
  return [...long, ...wrong].map(({ index, message }) => ({ line: lineAt(index), message }));
}

const inverted = /(?:(?:\/\*\*?|^\s*\*|\/\/|#|--)\s+|"""\s*)(Of|What|Whether|Where|Whose|Who)\b/;
const title = /\(\s*(['"`])((?:\\.|(?!\1)[^\\\n])*)\1,\s*(?:async\b|\(|\w+ =>)/g;

/** @param {string} text of a program @returns {{ line: number, message: string }[]} what to change */
function problemsInCode(text) {
  const comments = text.split('\n').flatMap((line, at) => {
    const word = inverted.exec(line)?.[1];
    return word ? [{ line: at + 1, message: `comment: begins with "${word}": begin with its subject` }] : [];
  });
  const titles = [...text.matchAll(title)].filter(({ 2: { length } }) => length > maxTitle);
  const long = titles.map(({ 2: { length }, index }) => {
    const message = `title: ${length} characters, at most ${maxTitle}: name one claim`;
    return { line: text.slice(0, index).split('\n').length, message };
  });
  return [...comments, ...long];
}

/** @returns {string[]} relative to the repository */
function checkedFiles() {
  const kinds = '{README.md,DECISIONS.md,*.{conf,css,j2,js,py,sh,sql,template,yml}}';
  const folders = '{.,{db,etl,k6,nginx,scripts,server,tests}/**}';
  const all = fs.globSync(`${folders}/${kinds}`, { cwd: root, exclude: ['**/node_modules', '**/dist'] });
  return all.map((file) => path.normalize(file)).filter((file) => !released.test(file));
}

if (require.main === module) {
  const lines = checkedFiles().flatMap((file) =>
    (file.endsWith('.md') ? problemsIn : problemsInCode)(fs.readFileSync(path.join(root, file), 'utf8')).map(
      ({ line, message }) => `${file}:${line}: ${message}`,
    ),
  );
  console.log(lines.join('\n'));
  process.exitCode = lines.length > 0 ? 1 : 0;
}

module.exports = { maxTitle, maxWords, plainWords, problemsIn, problemsInCode };
