'use strict';

const { once } = require('node:events');
const http = require('node:http');
const { setTimeout: pause } = require('node:timers/promises');
const { text } = require('node:stream/consumers');

const { Webhook } = require('standardwebhooks');

/** @typedef {import('./changes').Change} Change */
/** @typedef {{ id: string, body: string, changes: Change[], status: number }} Seen a request, and what was answered */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/**
 * A shop that takes webhooks, and verifies each with the library of Standard Webhooks.
 * @param {(seen: Seen, index: number) => number | 'silent' | 'broken'} [answerOf] the status, or no answer
 */
async function startReceiver(answerOf = () => 200) {
  /** @type {Seen[]} */
  const requests = [];
  const state = { secret: SECRET, refused: 0, answerOf, waitMs: 0 };
  const server = http.createServer(async (req, res) => {
    const body = await text(req);
    let verified;
    try {
      verified = /** @type {any} */ (new Webhook(state.secret).verify(body, /** @type {any} */ (req.headers)));
    } catch {
      state.refused += 1;
      return res.writeHead(401).end();
    }
    const seen = { id: String(req.headers['webhook-id']), body, changes: verified.changes, status: 0 };
    const answer = state.answerOf(seen, requests.length);
    requests.push(seen);
    if (answer === 'broken') return req.socket.destroy();
    if (answer === 'silent') return;
    if (state.waitMs > 0) await pause(state.waitMs); // a slow one
    seen.status = answer;
    res.writeHead(answer, answer < 400 && answer >= 300 ? { Location: '/elsewhere' } : {}).end('x'.repeat(100_000));
  });
  const listen = (/** @type {number} */ port) => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen(0);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    requests,
    state,
    use: (/** @type {string} */ secret) => void (state.secret = secret),
    /** The changes that were taken, each once. @returns {Change[]} */
    taken() {
      const changes = requests.filter(({ status }) => status === 200).flatMap((request) => request.changes);
      return [...new Map(changes.map((change) => [change.cursor, change])).values()];
    },
    /** Again at the same port. */
    open: () => listen(port),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * As `npm run hook -- add` does, from the head on.
 * @param {import('pg').Client} client of a superuser @param {string} url
 * @param {{ types?: string[], isPrivateAllowed?: boolean, secret?: string }} [options]
 * @returns {Promise<number>} its id
 */
async function addHook(client, url, { types = [], isPrivateAllowed = true, secret = SECRET } = {}) {
  const { rows } = await client.query(
    `WITH hook AS (
      INSERT INTO catalog_meta.hooks (url, types, allow_private, cursor)
      SELECT $1, $2, $3, era || '.' || seq FROM catalog_log.head
      RETURNING id
    )
    INSERT INTO catalog_meta.hook_secrets (hook_id, secret) SELECT id, $4 FROM hook RETURNING hook_id`,
    [url, types, isPrivateAllowed, secret],
  );
  return rows[0].hook_id;
}

/** @param {import('pg').Client} client @param {number} id @returns {Promise<any>} the row of a hook */
const readHook = async (client, id) =>
  (await client.query('SELECT * FROM catalog_meta.hooks WHERE id = $1', [id])).rows[0];

module.exports = { SECRET, addHook, readHook, startReceiver };
