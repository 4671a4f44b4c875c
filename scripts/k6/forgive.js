'use strict';

/** @typedef {import('./model').Figures} Figures */

/**
 * Replies of right id and shape and other content than the database had when the run began.
 * @typedef {{ second: number, scenario: string, route: string, count: number }} Differing
 */

/**
 * A load that is served during a run changes what a right body is: from that second on a body that differs is none that can
 * be called wrong.
 * @param {Figures[]} rows of one k6 @param {Differing[]} differing @param {number} changedAtS Infinity: there was none
 * @returns {Figures[]}
 */
function forgive(rows, differing, changedAtS) {
  const since = differing.filter(({ second }) => second >= Math.floor(changedAtS));
  return rows.map((row) => {
    const own = since.filter(({ scenario, route }) => scenario === row.scenario && ['mix', route].includes(row.route));
    const outdated = own.reduce((sum, { count }) => sum + count, 0);
    if (outdated === 0) return row;
    const errors = row.errors - outdated;
    const missed = errors === 0 ? row.missed.filter((text) => !text.startsWith('errors ')) : row.missed;
    const rps = row.rps === undefined || !row.seconds ? row.rps : row.rps + outdated / row.seconds;
    return { ...row, errors, rps, missed, outdated, compared: (row.compared ?? 0) - outdated };
  });
}

module.exports = { forgive };
