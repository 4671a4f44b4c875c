import { check } from 'k6';
import { md5 } from 'k6/crypto';
import { Counter, Rate } from 'k6/metrics';
import { agreements } from './agreements.js';
import { comparesAll } from './ids.js';
import { outlines, shapes } from './shapes.js';
import { get } from './target.js';

/** Requests without a right answer, whatever was wrong. */
const errors = new Rate('errors');

/** Errors of right id and shape, and other content than the database's: a load changes that. The runner knows of loads. */
const differing = new Counter('differing');

/** Replies whose content was compared. Not counted where all are: each count is paid for with every request. */
const compared = new Counter('compared');

/** Without digests, replies in a second that are compared with what another route says. */
const pairedPerSecond = 5;

/** Of those that are parsed without a digest. Where each byte is compared, the shape is only that of the database's documents. */
const parsedWithDigest = 0.1;

/** Enough for what shapes look at; only a body that is wrong takes this way. @param {ArrayBuffer | string} body */
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

/** A body that is not JSON, or lacks what its shape reads, is a wrong one: an exception would leave it uncounted. */
function isParsedRight(route, text, wanted) {
  try {
    const body = JSON.parse(text); // not reply.json(), which loses the order of keys
    return shapes[route](body, wanted) && body;
  } catch {
    return false;
  }
}

/** Where nothing says what a body must be: is it whose it should be, does it have its shape, do other routes agree? */
function seemsRight(route, text, wanted, isParsed) {
  if (!outlines[route](text, wanted)) return false;
  const isPaired = agreements[route] && Math.random() * Number(__ENV.ASKED_RATE || 100) < pairedPerSecond;
  if (!isParsed && !isPaired) return true;
  const body = isParsedRight(route, text, wanted);
  if (!body || !isPaired) return Boolean(body);
  compared.add(1, { route });
  return agreements[route](body);
}

/** Every byte is what the database says it must be. */
function isRight(route, body, wanted, isParsed) {
  if (!comparesAll) compared.add(1, { route });
  const isSame = isBody(body, wanted.digest);
  if (isSame && !isParsed) return true;
  const text = textOf(body);
  const hasShape = outlines[route](text, wanted) && Boolean(isParsedRight(route, text, wanted));
  if (!isSame && hasShape) differing.add(1, { route, name: route });
  return isSame && hasShape;
}

/**
 * @param {import('k6/http').Response} response
 * @param {keyof typeof shapes} route
 * @param {import('./shapes.js').Wanted} wanted
 * @param {boolean} [isParsed] whether its shape is looked at, too
 */
export function checkReply(response, route, wanted, isParsed = false) {
  const judge = wanted.digest === undefined ? seemsRight : isRight;
  const right = check(
    response,
    {
      [`${route}: status 200`]: (reply) => reply.status === 200,
      [`${route}: a correct body`]: (reply) => reply.status === 200 && judge(route, reply.body, wanted, isParsed),
    },
    { route },
  );
  errors.add(!right, { route });
}

/**
 * One request and what is wrong with its reply.
 * @param {string} path @param {keyof typeof shapes} route @param {import('./shapes.js').Wanted} wanted
 */
export function ask(path, route, wanted) {
  const hasDigest = wanted.digest !== undefined;
  // Not read once above: a scenario's environment is there only when its users run.
  const isParsed = Math.random() < Number(__ENV.PARSED_SHARE || 1) * (hasDigest ? parsedWithDigest : 1);
  checkReply(get(path, route, hasDigest && !isParsed ? 'binary' : 'text'), route, wanted, isParsed);
}
