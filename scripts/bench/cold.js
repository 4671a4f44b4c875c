'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { withClient } = require('../lib/roles');
const { binaries } = require('../lib/runtime');
const { startGo, startJournal, startWorker } = require('./contestants');
const { interrupted } = require('./running');
const { openDataset, writePaths } = require('./dataset');
const { interleave } = require('./statistics');
const { memoryBar } = require('./resources');
const { rowOf, wrk } = require('./wrk');
/** @import { Contestant } from './contestants' */
/** @import { Dataset } from './dataset' */

const run = promisify(execFile);
const bars = { overGoLive: 2, overPgbench: 0.45, overStyles: 1 };
/** The least that is allowed: a dozen replies, so that random ids over a million never find theirs. */
const noCacheBytes = 65_536;
const idCount = 200_000;

/** @returns {Promise<string | null>} the Go peer, built; null where there is no Go */
async function buildGoPeer(/** @type {string} */ dir) {
  const binary = path.join(dir, 'go-peer');
  const source = path.join(__dirname, 'peers/go');
  return run('go', ['build', '-o', binary, '.'], { cwd: source }).then(
    () => binary,
    () => null,
  );
}

/**
 * The database's own ceiling: the same lookup, prepared, without a service. It may use both cores.
 * @param {Dataset} dataset @param {number} seconds
 */
async function pgbench({ dir, postgres }, seconds) {
  const largest = await withClient(postgres.dsn('api'), async (client) => {
    const { rows } = await client.query('SELECT max(id) AS id FROM catalog.styles_documents');
    return rows[0].id;
  });
  const script = path.join(dir, 'lookup.sql');
  fs.writeFileSync(
    script,
    `\\set id random(1, ${largest})\nSELECT body FROM catalog.styles_documents WHERE id = :id;\n`,
  );
  const { stdout } = await run(
    path.join(binaries().postgresBin, 'pgbench'),
    [
      ...['--no-vacuum', '--protocol', 'prepared', '--client', '16', '--jobs', '2'],
      ...['--time', String(seconds), '--file', script, postgres.dsn('api')],
    ],
    { signal: interrupted },
  );
  const rps = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  return { rps, p99Ms: NaN, errors: 0 };
}

/** @param {Dataset} dataset @returns {Promise<Record<string, { server: Contestant, paths: string }>>} */
async function startAll(dataset) {
  const log = path.join(dataset.dir, 'bench.log');
  const { postgres } = dataset;
  const worker = await startWorker({ dsn: postgres.dsn('api'), l1Bytes: noCacheBytes, log });
  /** @param {string} tail @param {string} name */
  const paths = (tail, name) => writePaths(dataset, { count: idCount, tails: [tail], name });
  const styles = await paths('/styles', 'cold-styles');
  const binary = await buildGoPeer(dataset.dir);
  const dsn = postgres.dsn('loader');
  /** @type {Record<string, { server: Contestant, paths: string }>} */
  const servers = {
    'one worker, styles': { server: worker, paths: styles },
    'one worker, product': { server: worker, paths: await paths('', 'cold-product') },
    'one worker, related': { server: worker, paths: await paths('/related', 'cold-related') },
    'the journal, styles': { server: await startJournal({ dsn, log }), paths: styles },
  };
  if (binary) {
    for (const query of /** @type {const} */ (['live', 'document'])) {
      const server = await startGo({ binary, query, dsn, log });
      servers[`Go + pgx, ${query}, styles`] = { server, paths: styles };
    }
  }
  return servers;
}

/**
 * Random products over the whole set, caches off: what one worker and PostgreSQL do alone.
 * @param {{ products: number, rounds: number, seconds: number, say: (line: string) => void }} options
 * @returns {Promise<import('./bars').Part>}
 */
async function cold({ products, rounds, seconds, say }) {
  const dataset = await openDataset(products);
  const servers = await startAll(dataset);
  const contestants = Object.fromEntries(
    Object.entries(servers).map(([name, { server, paths }]) => [
      name,
      () => wrk({ port: server.port, paths, seconds }),
    ]),
  );
  contestants['pgbench, styles'] = () => pgbench(dataset, seconds);
  const results = await interleave(contestants, rounds, say);
  const part = report(results);
  part.bars.push(memoryBar([servers['one worker, styles'].server]));
  return part;
}

/** @param {Record<string, import('./wrk').WrkResult[]>} results @returns {import('./bars').Part} */
function report(results) {
  const rows = Object.entries(results).map(([what, runs]) => rowOf(what.split(', ').at(-1) ?? '', what, runs));
  /** @param {string} name */
  const rps = (name) => rows.find(({ what }) => what === name)?.rps ?? NaN;
  const styles = rps('one worker, styles');
  return {
    name: 'cold',
    rows,
    bars: [
      {
        what: 'styles / Go with a live query',
        atLeast: bars.overGoLive,
        is: styles / rps('Go + pgx, live, styles'),
      },
      { what: 'styles / pgbench', atLeast: bars.overPgbench, is: styles / rps('pgbench, styles') },
      {
        what: 'product / styles',
        atLeast: bars.overStyles,
        is: rps('one worker, product') / styles,
      },
      {
        what: 'related / styles',
        atLeast: bars.overStyles,
        is: rps('one worker, related') / styles,
      },
    ],
  };
}

module.exports = { cold, noCacheBytes, pgbench };
