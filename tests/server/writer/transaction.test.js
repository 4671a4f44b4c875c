'use strict';
const { inTransaction } = require('../../../server/writer/database/transaction');

const [locked, read, changed, numbered] = ['locked', 'read', 'changed', 'numbered'].map((text) => ({
  name: text,
  text,
}));
/** As a function that awaits a statement, and is later than the next one. @template T @param {Promise<T>} asked @returns {Promise<T>} */
const slowly = (asked) => new Promise((resolve, reject) => asked.then(resolve, (error) => setImmediate(reject, error)));

/**
 * Runs a write on a client that answers with the texts of its statements, or fails at one.
 * @param {Record<string, Error>} [failures] by the text of a statement
 */
async function run(failures = {}) {
  /** @type {string[]} */
  const sent = [];
  /** @param {string | { text: string }} statement */
  const query = async (statement) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    sent.push(text.startsWith('-- The first statement') ? 'gate' : text);
    const failure = failures[sent[sent.length - 1]];
    if (failure) throw failure;
    if (Object.keys(failures).some((each) => sent.includes(each)) && !/COMMIT|ROLLBACK/.test(text))
      throw Object.assign(new Error('aborted'), { code: '25P02' });
    return { rows: [text], command: text === 'COMMIT' && Object.keys(failures).length > 0 ? 'ROLLBACK' : text };
  };
  const client = /** @type {any} */ ({ query });
  const done = inTransaction(
    client,
    async (ask) => (await Promise.all([slowly(ask(locked)), ask(read)]))[0],
    async (state, ask, last) => [state, await ask(changed), await last(numbered)],
  );
  const result = await done.catch((error) => error);
  return { sent, result };
}

test('locks are sent with BEGIN, and the last statement with COMMIT', async () => {
  const { sent, result } = await run();
  expect(sent).toEqual(['BEGIN', 'gate', 'locked', 'read', 'changed', 'numbered', 'COMMIT']);
  expect(result).toEqual([['locked'], ['changed'], ['numbered']]);
});

test.each(['BEGIN', 'gate', 'locked'])('nothing is changed when %s fails, and its error is told', async (text) => {
  const { sent, result } = await run({ [text]: new Error(text) });
  expect(sent).toEqual(['BEGIN', 'gate', 'locked', 'read', 'ROLLBACK']);
  expect(result.message).toBe(text);
});

test('a swap that holds the gate pauses writes', async () => {
  const { result } = await run({ gate: Object.assign(new Error('timeout'), { code: '55P03' }) });
  expect(result).toMatchObject({ status: 503, message: 'The catalog is being replaced.' });
});

test('a last statement that fails rolls back, and its error is told', async () => {
  const { sent, result } = await run({ numbered: Object.assign(new Error('met'), { code: '23505' }) });
  expect([result.code, sent.slice(-2)]).toEqual(['23505', ['COMMIT', 'ROLLBACK']]);
});

test.each([['COMMIT'], ['numbered', 'COMMIT']])('a connection lost at %s leaves the outcome open', async (...texts) => {
  const { result } = await run(Object.fromEntries(texts.map((text) => [text, new Error('lost')])));
  expect(result).toMatchObject({ status: 503, message: expect.stringContaining('may have been done') });
});
