'use strict';
const { get } = require('../lib/probe');

/** @typedef {{ word: string, searches: number, empty: number }} MissedWord as in server/observe/missed-words.js */
/** @typedef {{ least_minutes: number, words: MissedWord[] }} Missed of a worker */

/** Each worker has a list of its own. @param {Missed[]} lists @returns {MissedWord[]} most searches first */
function merge(lists) {
  /** @type {Map<string, MissedWord>} */
  const words = new Map();
  for (const { word, searches, empty } of lists.flatMap((list) => list.words)) {
    const sum = words.get(word) ?? { word, searches: 0, empty: 0 };
    words.set(word, { word, searches: sum.searches + searches, empty: sum.empty + empty });
  }
  return [...words.values()].sort((a, b) => b.searches - a.searches || (a.word < b.word ? -1 : 1));
}

/** @param {Missed[]} lists of all workers @returns {string[]} lines of a table */
function tableOf(lists) {
  const words = merge(lists);
  const minutes = lists[0]?.least_minutes;
  if (words.length === 0) return [`no worker has dropped a word in ${minutes} different minutes since its start`];
  const cells = [
    ['searches', 'found nothing', 'word'],
    ...words.map(({ word, searches, empty }) => [searches, empty, word]),
  ];
  return cells.map(([searches, empty, word]) => `${`${searches}`.padStart(8)}  ${`${empty}`.padStart(13)}  ${word}`);
}

/**
 * Prints the words that searches of the running stack dropped.
 * @param {{ workerPorts: number[], adminPorts: number[] }} stack
 * @returns {Promise<number>} the exit status: 1 when a worker does not answer
 */
async function printMissed({ workerPorts, adminPorts }) {
  /** @type {Missed[]} */
  const lists = [];
  for (const [index, port] of adminPorts.entries()) {
    const { status, body } = await get(`http://127.0.0.1:${port}/missed`);
    if (status === 200) lists.push(JSON.parse(body));
    else console.error(`worker ${workerPorts[index]} has no list (${status || body}): npm run status`);
  }
  if (lists.length > 0) for (const line of tableOf(lists)) console.log(line);
  return lists.length === adminPorts.length ? 0 : 1;
}

module.exports = { printMissed };
