import { check } from 'k6';
import { md5 } from 'k6/crypto';
import exec from 'k6/execution';
import { Counter, Rate } from 'k6/metrics';
import { agreements } from './agreements.js';
import { comparesAll } from './ids.js';
import { outlines, parsed, shapes } from './shapes.js';
import { askBeside, get, head, post } from './target.js';

/** Requests without a correct reply, whatever the reason. */
const errors = new Rate('errors');

/** Bodies of correct id and shape that differ from the digests after a load or a write was served: not errors. */
const outdated = new Counter('outdated');

/** Bodies whose content was compared. Not counted if all are: each count costs time with every request. */
const compared = new Counter('compared');

/** Without digests, so many replies a second are compared with another route. */
const pairedPerSecond = 5;

/** The share that is parsed of what would be parsed without digests: an identical body has the shape of the database's. */
const parsedWithDigest = 0.1;

/** All users together describe about so many failures of each step: a complete outage must not fill the log. */
const describedFailures = 5;
/** Failures that this user has met, by step. @type {Record<string, number>} */
const described = {};

/** Data that changed once differ from then on. */
let isChanged = false;

/** Asked after the body was there, so that its change is known by then. @returns {boolean} whether the data differ from the digests */
function hasChanged() {
  if (!isChanged && __ENV.CHANGES_URL) isChanged = askBeside('', __ENV.CHANGES_URL) === true;
  return isChanged;
}

/** Shapes need a text; only a wrong body gets here. @param {ArrayBuffer | string} body */
function textOf(body) {
  if (typeof body === 'string') return body;
  const bytes = new Uint8Array(body);
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode.apply(null, bytes.subarray(at, at + 4096));
  return text;
}

/** @param {ArrayBuffer | string} body @param {number} digest the first twelve hexadecimal digits of its MD5 */
const isBody = (body, digest) => parseInt(md5(body, 'hex').slice(0, 12), 16) === digest;

/** A body that is not JSON, or lacks what its shape reads, is wrong: an exception would leave it uncounted. */
function isParsedRight(route, text, wanted) {
  try {
    const body = parsed(route, text); // not reply.json(), which loses the order of keys
    return shapes[route](body, wanted) && body;
  } catch {
    return false;
  }
}

/** Without a digest: does the body belong to what was asked for, have its shape, and agree with other routes? */
function seemsRight(route, text, wanted, isParsed) {
  if (!outlines[route](text, wanted)) return false;
  const isPaired = agreements[route] && Math.random() * Number(__ENV.ASKED_RATE || 100) < pairedPerSecond;
  if (!isParsed && !isPaired) return true;
  const body = isParsedRight(route, text, wanted);
  if (!body || !isPaired) return Boolean(body);
  compared.add(1, { route });
  return agreements[route](body);
}

/** With a digest: is every byte what the database says? */
function isRight(route, body, wanted, isParsed) {
  if (!comparesAll) compared.add(1, { route });
  const isSame = isBody(body, wanted.digest);
  if (isSame && !isParsed) return true;
  const text = textOf(body);
  const hasShape = outlines[route](text, wanted) && Boolean(isParsedRight(route, text, wanted));
  if (isSame || !hasShape || !hasChanged()) return isSame && hasShape;
  outdated.add(1, { route });
  return true;
}

/** One line about a failed reply, with what finds it in the service's log. The runner shows the first ones of each step. */
function describe({ status, status_text: text, error, headers }, route, wanted, failed) {
  const step = exec.scenario.name;
  described[step] = (described[step] ?? 0) + 1;
  if (described[step] > Math.ceil(describedFailures / exec.instance.vusInitialized)) return;
  const [key, value] = Object.entries(wanted)[0] ?? ['path', '/'];
  const asked = `${key}=${value}`;
  const answer = status === 0 ? error : text || status;
  const requestId = headers['X-Request-Id'] ?? 'none';
  console.error(
    `FAILED step=${step} route=${route} ${asked} check="${failed}" answer="${answer}" X-Request-Id=${requestId}`,
  );
}

/**
 * @param {import('k6/http').Response} response
 * @param {keyof typeof shapes} route
 * @param {import('./shapes.js').Wanted} wanted
 * @param {boolean} [isParsed] whether its shape is checked, too
 */
export function checkReply(response, route, wanted, isParsed = false) {
  if (response.error === 'context canceled') return; // by the end of the run
  const judge = wanted.digest === undefined ? seemsRight : isRight;
  const { status = 200 } = wanted;
  const isOk = response.status === status;
  const isCorrect = isOk && judge(route, response.body, wanted, isParsed);
  const checks = { [`${route}: status is ${status}`]: () => isOk, [`${route}: body is correct`]: () => isCorrect };
  check(response, checks, { route });
  errors.add(!isCorrect, { route });
  if (!isCorrect) describe(response, route, wanted, isOk ? 'body is correct' : `status is ${status}`);
}

/**
 * @param {import('k6/http').Response} response of the writer @param {string} route @param {number} status of an acknowledgement
 * @param {import('./shapes.js').Wanted} wanted @param {(body: any) => boolean} isAcknowledged
 */
export function checkWrite(response, route, status, wanted, isAcknowledged) {
  const isOk = response.status === status;
  const isCorrect = isOk && isAcknowledged(JSON.parse(response.body));
  check(
    response,
    { [`${route}: status is ${status}`]: () => isOk, [`${route}: body is correct`]: () => isCorrect },
    { route },
  );
  errors.add(!isCorrect, { route });
  if (!isCorrect) describe(response, route, wanted, isOk ? 'body is correct' : `status is ${status}`);
}

/**
 * Sends a request with a body, and checks its reply.
 * @param {string} path @param {keyof typeof shapes} route @param {import('./shapes.js').Wanted} wanted @param {object} content
 */
export function askWith(path, route, wanted, content) {
  const isParsed = Math.random() < Number(__ENV.PARSED_SHARE || 1);
  checkReply(post(path, route, content), route, wanted, isParsed);
}

/**
 * Asks for the head of a reply alone, and checks its type.
 * @param {string} path @param {keyof typeof shapes} route @param {import('./shapes.js').Wanted} wanted
 */
export function askHead(path, route, wanted) {
  const { headers, ...response } = head(path, route);
  checkReply({ ...response, headers, body: headers['Content-Type'] ?? '' }, route, wanted);
}

/**
 * Sends one request and checks its reply.
 * @param {string} path @param {keyof typeof shapes} route @param {import('./shapes.js').Wanted} wanted
 */
export function ask(path, route, wanted) {
  const hasDigest = wanted.digest !== undefined;
  // Not read once at the top: the environment of a scenario exists only while its users run.
  const isParsed = Math.random() < Number(__ENV.PARSED_SHARE || 1) * (hasDigest ? parsedWithDigest : 1);
  checkReply(get(path, route, hasDigest && !isParsed ? 'binary' : 'text'), route, wanted, isParsed);
}
