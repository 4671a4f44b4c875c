'use strict';
const { get } = require('../../../scripts/lib/probe');
const { startLoad } = require('../testbed/loadgen/load');

/*
 * Constant load on a fleet, run on the client's side: `node constant-load.js URL RATE [resend]`; prints a line of
 * JSON each second, and one with the result at the end (SIGTERM).
 */

const [base, rateText, resend] = process.argv.slice(2);
const tails = ['', '/styles', '/related'];
const listShare = 0.05;

async function main() {
  const { body } = await get(`${base}/products?count=20000`);
  /** @type {number[]} */
  const ids = JSON.parse(body).map((/** @type {{ id: number }} */ product) => product.id);
  const { hostname, port } = new URL(base);
  const load = await startLoad({
    target: { host: hostname, port: Number(port || 80) },
    rate: Number(rateText),
    paths: [
      ids.flatMap((id) => tails.map((tail) => `/products/${id}${tail}`)),
      ids.map((id) => `/products?after=${id}`),
    ],
    shares: [1 - listShare, listShare],
    maxConnections: 2000,
    resend: resend === 'resend',
    timeoutMs: 10_000,
  });
  const progress = setInterval(() => console.log(JSON.stringify({ sent: load.sent })), 1000);
  process.once('SIGTERM', async () => {
    const observed = await load.stop();
    clearInterval(progress);
    const more = { slow: observed.slowerThan(300), lastFailedMs: observed.lastErrorAfterMs(0) };
    process.stdout.write(`${JSON.stringify({ ...observed.all(), ...more })}\n`, () => process.exit(0));
  });
}

main();
