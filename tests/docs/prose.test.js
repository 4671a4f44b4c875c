'use strict';
const { maxTitle, maxWords, plainWords, problemsIn, problemsInCode } = require('./check-prose');

/** @param {number} count @returns {string} a sentence of so many words */
const sentenceOf = (count) => `${Array(count).fill('word').join(' ')}.`;

/** One text for each rule of the word list, in its order. */
const dialect = [
  'a in place of b',
  'the load goes on',
  'make it anew',
  'kept for ever',
  'Ports likewise.',
  'Meanwhile it answers.',
  'whoever asks',
  'as it was told',
  'the row lies in a file',
  'Price: memory',
  'Text. Of the rows none is read.',
  'the bar is met',
  'the journal measured',
  'a rung of the ladder',
  'the witness',
  'all eyes on',
  'two contestants',
  'a poisoned value',
  'the catalogue',
];

describe('the check of prose', () => {
  test.each(plainWords.map(([pattern, plain], at) => ({ pattern, plain, text: dialect[at] })))(
    'replaces $text',
    ({ plain, text }) => {
      const [problem, ...others] = problemsIn(`# A\n\n${text}\n`);
      expect(problem).toEqual({ line: 3, message: expect.stringContaining(`write ${plain}`) });
      expect(others).toEqual([]);
    },
  );

  test('reports the first line and the length of a sentence that is too long', () => {
    expect(problemsIn(`# A\n\nShort.\n${sentenceOf(maxWords + 1).replace(' ', '\n')}\n`)).toEqual([
      { line: 4, message: 'sentence: 31 words, at most 30: split it' },
    ]);
  });

  test('ends a sentence at a list item, a blank line and a heading', () => {
    const half = sentenceOf(20).slice(0, -1);
    expect(problemsIn(`## ${half}\n${half}:\n- ${half}\n- ${half}\n\n${half}`)).toEqual([]);
  });

  test('skips code, tables, comments and targets of links', () => {
    const words = `anew ${sentenceOf(40)}`;
    const skipped = [
      `\`${words}\``,
      `[link](anew)`,
      `\n| ${words} |`,
      `\n\`\`\`\n${words}\n\`\`\``,
      `<!-- ${words} -->`,
    ];
    expect(problemsIn(skipped.join('\n'))).toEqual([]);
  });

  test.each([
    ['/**', 'Of'],
    ['/*', 'What'],
    [' *', 'Whether'],
    ['code; //', 'Where'],
    ['#', 'Who'],
    ['--', 'Whose'],
    ['"""', 'What'],
  ])('refuses a comment that begins with %s %s', (mark, word) => {
    const message = `comment: begins with "${word}": begin with its subject`;
    expect(problemsInCode(`a\n${mark} ${word} a row has.\n`)).toEqual([{ line: 2, message }]);
    expect(problemsInCode(`a\n${mark} ${word}ever a row has, and ${word} it is.\n`)).toEqual([]);
  });

  test.each(["test('T', () => {", 'test.each(rows)(\n  `T`,\n  async (row) => {', 'it("T", async () => {'])(
    'refuses a long title in %j',
    (call) => {
      const withTitle = (/** @type {number} */ length) => `\n${call.replace('T', 'x'.repeat(length))}`;
      expect(problemsInCode(withTitle(maxTitle))).toEqual([]);
      const message = 'title: 91 characters, at most 90: name one claim';
      expect(problemsInCode(withTitle(maxTitle + 1))).toEqual([{ line: 2, message }]);
    },
  );
});
