'use strict';

/** @typedef {import('./watcher').Status} Status */

/** A server that was silent is the last choice for this long. */
const SUSPECT_MS = 1000;

/**
 * The moment of a version's change, in microseconds: it orders versions, also of recreated databases. In one database it
 * never goes back, whatever its clock does (db/migrations/002_moment_grows.sql).
 * @param {string} token as store/queries/server_status.sql makes it
 */
const momentOf = (token) => Number(token.slice(token.indexOf('-') + 1));

/** Above 0 when the first comes later in the log. A promotion begins an era, whatever the clocks. @param {Status} a @param {Status} b */
const compare = (a, b) => a.era - b.era || momentOf(a.token) - momentOf(b.token) || a.seq - b.seq;

/** @param {Status} status @param {Status} other */
const isLater = (status, other) => compare(status, other) > 0;

/**
 * The server whose data version is the catalog's: the one that takes writes. Of two that do (an old primary came
 * back), the one promoted last. When none does, the freshest replica: an older catalog is better than none.
 * @param {(Status | null)[]} statuses
 * @returns {Status | null}
 */
function authority(statuses) {
  const present = statuses.filter((status) => status !== null);
  const ranked = present.sort((a, b) => b.timeline - a.timeline || compare(b, a));
  return ranked[0] ?? null;
}

/**
 * Rows of a server may be cached under a stamp: never older rows. Newer rows do no harm as long as an earlier version does
 * not return. It does when a primary is lost before its replica has the load, until the promotion makes a new version and era. A server
 * of another fork may have such rows: it is an old primary, or it followed one and its era is behind.
 * @param {{ database: { ready: boolean }, watcher: { known: Status | null } }} server
 * @param {string} stamp data version and, after a dot, the number of a commit
 * @param {{ timeline: number, era: number }} authority
 */
function mayAnswer({ database, watcher: { known } }, stamp, { timeline, era }) {
  if (!database.ready || known === null) return false;
  const [version, seq = 0] = stamp.split('.');
  const hasRows = momentOf(known.token) >= momentOf(version) && known.seq >= Number(seq);
  return hasRows && known.era >= era && (known.recovering || known.timeline >= timeline);
}

/**
 * @template {{ watcher: { status: Status | null }, suspectUntilMs: number }} S
 * @param {S[]} servers nearest first, as the URL names them
 * @param {number} maxLagMs
 * @param {number} nowMs
 * @returns {S[]} those that lag, are silent or were so come last
 */
function inOrder(servers, maxLagMs, nowMs) {
  const isPoor = (/** @type {S} */ { watcher, suspectUntilMs }) =>
    (watcher.status?.lagMs ?? Infinity) > maxLagMs || suspectUntilMs > nowMs;
  return [...servers.filter((server) => !isPoor(server)), ...servers.filter(isPoor)];
}

/**
 * A server that was silent for the delay of a hedged read is late; then it is suspected for a while. A long page may
 * take seconds: it is late only when the watcher has lost its server.
 * @param {{ watcher: { status: Status | null }, suspectUntilMs: number }} server
 * @param {boolean} longPage
 * @param {number} nowMs
 */
function suspectIfLate(server, longPage, nowMs) {
  if (longPage && server.watcher.status !== null) return false;
  server.suspectUntilMs = nowMs + SUSPECT_MS;
  return true;
}

exports.authority = authority;
exports.inOrder = inOrder;
exports.isLater = isLater;
exports.mayAnswer = mayAnswer;
exports.momentOf = momentOf;
exports.suspectIfLate = suspectIfLate;
