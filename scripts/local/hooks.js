'use strict';
const crypto = require('node:crypto');
const { cursorIn, cursorText } = require('../../server/core/commit-cursor');
const { privateIn } = require('../../server/writer/hooks/addresses');
const { TYPES } = require('../../server/writer/hooks/kinds');
const { UsageError } = require('../lib/command-line');
const { waitUntil } = require('../lib/wait-until');
const { requireOneOf } = require('../lib/words');

/** @typedef {import('pg').Client} Client */
/** @typedef {{ types?: string, from?: string, 'allow-private'?: boolean }} Values of the options */

/** Each request under way takes some memory of the writer. */
const maxHooks = 100;
const maxUrl = 2000;
/** The writer looks once a second, and a receiver has 10 s. */
const testMs = 15_000;
/** Receivers have this time to learn the next secret. */
const overlap = '24 hours';

const makeSecret = () => `whsec_${crypto.randomBytes(32).toString('base64')}`;

/** @param {string} text @param {boolean} isPrivateAllowed @returns {string} the URL as it is sent @throws {UsageError} */
function requireUrl(text, isPrivateAllowed) {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.href.length > maxUrl)
    throw new UsageError(`${text}: type a URL such as https://shop.example/hooks, of at most ${maxUrl} characters`);
  if (url.username || url.password || url.hash)
    throw new UsageError('a URL with a user, a password or a # is refused: the signature shows who sends');
  const refusal = isPrivateAllowed ? null : privateIn(url);
  if (refusal) throw new UsageError(`${url.href}: ${refusal}`);
  return url.href;
}

/** @param {string} id */
const unknown = (id) => new UsageError(`no hook ${id}: npm run hook -- list shows them`);

/** @param {Client} client @param {string} sql @param {string} id @param {unknown[]} values @returns {Promise<any>} the row that it changed */
async function change(client, sql, id, ...values) {
  const { rows } = /^[0-9]{1,9}$/.test(id) ? await client.query(sql, [id, ...values]) : { rows: [] };
  return rows[0];
}

/** @param {Client} client @param {string} typed @param {Values} values */
async function add(client, typed, { types, 'allow-private': isPrivateAllowed = false }) {
  const url = requireUrl(typed, isPrivateAllowed);
  const wanted = types ? types.split(',').map((type) => requireOneOf('type', type, TYPES)) : [];
  const secret = makeSecret();
  const sql = `
    WITH hook AS (
      INSERT INTO catalog_meta.hooks (url, types, allow_private, cursor)
      SELECT $1, $2, $3, era || '.' || seq FROM catalog_log.head
      WHERE (SELECT count(*) FROM catalog_meta.hooks) < $5
      RETURNING id, cursor
    ), secret AS (
      INSERT INTO catalog_meta.hook_secrets (hook_id, secret) SELECT id, $4 FROM hook
    )
    SELECT * FROM hook`;
  const [hook] = (await client.query(sql, [url, wanted, isPrivateAllowed, secret, maxHooks])).rows;
  if (!hook) throw new UsageError(`there are ${maxHooks} hooks already: remove one`);
  console.error(`hook ${hook.id} gets the changes after ${hook.cursor}; this secret is not shown again:`);
  console.log(secret);
}

/** @param {Record<string, any>} hook a row @returns {string} */
function stateOf({ paused, failures, answer, next_at: next, failing_since: since }) {
  if (paused === 'cursor-expired') return 'paused (cursor-expired): the log is younger. Export again, then replay';
  if (paused) return `paused (${paused})${answer ? `: ${answer}` : ''}`;
  return failures > 0
    ? `failing since ${since.toISOString()}, again at ${next.toISOString()}: ${answer}`
    : `in force${answer ? `: ${answer}` : ''}`;
}

/** @param {Client} client */
async function list(client) {
  const { rows } = await client.query('SELECT * FROM catalog_meta.hooks ORDER BY id');
  for (const hook of rows)
    console.log(`${hook.id}  ${hook.url}  ${hook.types.join(',') || 'all'}  at ${hook.cursor}  ${stateOf(hook)}`);
}

/** @param {Client} client @param {string} id */
async function pause(client, id) {
  const sql = "UPDATE catalog_meta.hooks SET paused = 'operator' WHERE id = $1 AND paused IS NULL RETURNING cursor";
  const hook = await change(client, sql, id);
  if (!hook) throw new UsageError(`no hook ${id} is in force: npm run hook -- list shows them`);
  console.log(`paused ${id} at ${hook.cursor}`);
}

const ready = 'paused = NULL, failures = 0, failing_since = NULL, next_at = clock_timestamp()';

/** @param {Client} client @param {string} id */
async function resume(client, id) {
  const hook = await change(client, 'SELECT paused FROM catalog_meta.hooks WHERE id = $1', id);
  if (!hook) throw unknown(id);
  if (hook.paused === 'cursor-expired')
    throw new UsageError(
      `changes that hook ${id} lacks are no longer kept: export again, then replay ${id} --from CURSOR`,
    );
  await change(client, `UPDATE catalog_meta.hooks SET ${ready} WHERE id = $1 RETURNING id`, id);
  console.log(`resumed ${id}`);
}

/** @param {Client} client @param {string | undefined} typed @returns {Promise<string>} a cursor that the log has @throws {UsageError} */
async function requireCursor(client, typed) {
  if (!typed) throw new UsageError('--from is missing: a cursor of the feed, or head');
  const [head] = (await client.query('SELECT era, seq::float FROM catalog_log.head')).rows;
  if (typed === 'head') return cursorText(head);
  const cursor = cursorIn(typed);
  if (!cursor) throw new UsageError(`--from ${typed}: type a cursor such as ${cursorText(head)}, or head`);
  if (cursor.era !== head.era || cursor.seq > head.seq)
    throw new UsageError(`--from ${typed}: the log has no such commit; its last one is ${cursorText(head)}`);
  const next = cursor.seq + (cursor.index === null ? 1 : 0);
  const known = await client.query('SELECT FROM catalog_log.commits WHERE seq = $1', [next]);
  if (next <= head.seq && known.rowCount === 0)
    throw new UsageError(`--from ${typed}: changes are kept for 7 days. Export again, then replay from its cursor`);
  return typed;
}

/** @param {Client} client @param {string} id @param {Values} values */
async function replay(client, id, { from }) {
  const cursor = await requireCursor(client, from);
  const sql = `UPDATE catalog_meta.hooks SET cursor = $2, bound = NULL, begun_at = NULL, ${ready} WHERE id = $1 RETURNING id`;
  if (!(await change(client, sql, id, cursor))) throw unknown(id);
  console.log(`hook ${id} gets the changes after ${cursor}`);
}

/** The writer sends it, since what counts is what its network reaches. @param {Client} client @param {string} id @returns {Promise<number>} the exit status */
async function test(client, id) {
  const sql = `UPDATE catalog_meta.hooks SET test_asked_at = clock_timestamp(), test_answer = NULL WHERE id = $1 RETURNING id`;
  if (!(await change(client, sql, id))) throw unknown(id);
  let answer = '';
  await waitUntil(async () => {
    const hook = await change(client, 'SELECT test_answer FROM catalog_meta.hooks WHERE id = $1', id);
    answer = hook?.test_answer ?? '';
    return answer !== '';
  }, testMs);
  console.log(answer ? `hook ${id} answered: ${answer}` : `no writer has sent it in ${testMs / 1000} s: does one run?`);
  return /^2\d\d$/.test(answer) ? 0 : 1;
}

/** @param {Client} client @param {string} id */
async function rotate(client, id) {
  const secret = makeSecret();
  const sql = `
    WITH hook AS (
      SELECT id FROM catalog_meta.hooks WHERE id = $1
    ), forgotten AS (
      DELETE FROM catalog_meta.hook_secrets WHERE hook_id = $1 AND until IS NOT NULL
    ), former AS (
      UPDATE catalog_meta.hook_secrets SET until = clock_timestamp() + $3::interval WHERE hook_id = $1 AND until IS NULL
    )
    INSERT INTO catalog_meta.hook_secrets (hook_id, secret) SELECT id, $2 FROM hook RETURNING hook_id`;
  if (!(await change(client, sql, id, secret, overlap))) throw unknown(id);
  console.error(`for ${overlap}, the secret before signs too; this one is not shown again:`);
  console.log(secret);
}

/** @param {Client} client @param {string} id */
async function remove(client, id) {
  if (!(await change(client, 'DELETE FROM catalog_meta.hooks WHERE id = $1 RETURNING id', id))) throw unknown(id);
  console.log(`removed ${id}`);
}

module.exports = { add, list, pause, remove, replay, resume, rotate, test };
