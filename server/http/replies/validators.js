'use strict';

/** Clients send few distinct Accept-Encoding values; a flood of others empties the map. */
const MAX_REMEMBERED = 256;

/** @type {Map<string, boolean>} */
const remembered = new Map();

/**
 * RFC 9110 §12.5.3: gzip is acceptable when named, or covered by *, with a weight above 0.
 * @param {string | undefined} acceptEncoding
 */
function acceptsGzip(acceptEncoding) {
  if (!acceptEncoding) return false;
  const known = remembered.get(acceptEncoding);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const weights = new Map(acceptEncoding.split(',').map(codingAndWeight));
  const accepted = (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
  remembered.set(acceptEncoding, accepted);
  return accepted;
}

/** @param {string} item such as "gzip;q=0.8" @returns {[string, number]} */
function codingAndWeight(item) {
  const [coding, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, weight ? Number(weight.slice(2)) || 0 : 1];
}

/** The ETag of a body. @param {string} digest */
const etagOf = (digest) => `"${digest}"`;

/** The ETag of the same body, compressed. @param {string} digest */
const gzipEtagOf = (digest) => `"${digest}-gzip"`;

/** @param {string} ifMatch @returns {string[]} digests of the bodies whose ETags it names */
const digestsIn = (ifMatch) => [...ifMatch.matchAll(/"([\w-]+?)(?:-gzip)?"/g)].map(([, digest]) => digest);

/** RFC 9110 §13.1.1, where a list may have empty members. @param {string} text @returns {boolean} whether it is an If-Match */
const isIfMatch = (text) =>
  text.trim() === '*' || (text.includes('"') && /^[\s,]*$/.test(text.replaceAll(/(?:W\/)?"[^"]*"/g, '')));

/**
 * RFC 9110 §13.1.2: If-None-Match compares weakly, takes a list, and * matches whatever exists.
 * @param {string} ifNoneMatch
 * @param {string} etag strong, with its quotes
 */
function matches(ifNoneMatch, etag) {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((item) => item.trim().replace(/^W\//, '') === etag);
}

/**
 * RFC 9110 §13.1.1: If-Match compares strongly, takes a list, and * matches whatever exists.
 * @param {string} ifMatch
 * @param {string} etag strong, with its quotes
 */
function matchesStrongly(ifMatch, etag) {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((item) => item.trim() === etag);
}

exports.acceptsGzip = acceptsGzip;
exports.digestsIn = digestsIn;
exports.etagOf = etagOf;
exports.gzipEtagOf = gzipEtagOf;
exports.isIfMatch = isIfMatch;
exports.matches = matches;
exports.matchesStrongly = matchesStrongly;
