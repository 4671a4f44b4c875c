'use strict';

/** A lost disk takes the WAL that PostgreSQL has not yet archived. */
const lossSeconds = 60;

/** @param {string} output of addStock @returns {number[]} times of acknowledgements */
const timesOf = (output) => (output.match(/^\d{13}$/gm) ?? []).map(Number);

/** @param {number[]} times of acknowledgements @param {number} lostMs when the disk was lost @param {number} found writes after the restore */
function requireLoss(times, lostMs, found) {
  const lost = lostMs - (times[found] ?? lostMs);
  console.log(`${times.length} acknowledged, ${found} found: ${lost / 1000} s lost`);
  expect(times.filter((time) => time < lostMs - lossSeconds * 1000).length).toBeGreaterThan(100);
  expect(lost).toBeLessThan(lossSeconds * 1000);
}

module.exports = { lossSeconds, requireLoss, timesOf };
