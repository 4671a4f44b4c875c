'use strict';
const { atMost, judge } = require('../judge');
const { underLoad } = require('./incident');
const { blocksOf } = require('./runbook');
const { get, makeSingle, shapeOf, useMachines } = require('./use-machines');

/* Types the page "from one machine to five": one machine with data and a writer, and four bare ones, under load at the old and the new place. */

const { addresses } = shapeOf('five');
const size = { rate: 50, requests: 2000 };
/** In which what no cache has gets 503. */
const restartSeconds = 3;
const first = 'db-1';
const patch = `-X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"slogan":"grown"}'`;

let key = '';
const { admin, machines, network } = useMachines(addresses, async ({ machines: { [first]: one }, release }) => {
  await makeSingle(one, release);
  key = (await one.must('catalog-key create till --scopes content')).trim();
  await product(first, patch);
});

/** @param {string} name @param {string} [words] of curl */
const product = async (name, words = '') =>
  JSON.parse(
    await machines[first].must(
      `${get} -k -H 'Authorization: Bearer ${key}' ${words} https://${addresses[name]}:8443/products/1`,
    ),
  );

const [take, make, stop, check, back] = blocksOf('grow.md').map(
  ({ on: [name], commands }) =>
    () =>
      admin.must(name, commands),
);

/** @param {string} name of the place that clients use @param {() => Promise<unknown>} happen @param {number} [seconds] of 503 */
async function under(name, happen, seconds = 0) {
  const seen = await underLoad({ network, base: `http://${addresses[name]}` }, size, happen);
  const { asked, ok, shed, failures } = seen;
  judge({ refused: [shed, atMost(seconds * size.rate)], otherwise: [asked - ok - shed, 0], failures: [failures] });
}

test('one machine becomes five, with its data, passwords and keys', async () => {
  await under(first, async () => void (await take(), await make()), restartSeconds);
  await under('lb-1', stop);
  await check();
  expect((await product('lb-1')).slogan).toBe('grown');
});

test('the first machine serves again', async () => {
  await under('lb-1', back);
  expect((await product(first)).slogan).toBe('grown');
});
