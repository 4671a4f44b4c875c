'use strict';

const { makeValidator } = require('envalid');
const { parse } = require('pg-connection-string');

const { nameOf, serversOf } = require('../core/dsn');

/** A whole number inside [min, max]; without `max`, up to what a Node timer takes. */
const integer = (/** @type {number} */ min, /** @type {number} */ max = 2 ** 31 - 1) =>
  makeValidator((text) => {
    const value = Number(text);
    if (!/^[0-9]+$/.test(text) || value < min || value > max)
      throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  });
/** @param {string} text */
function isEncoded(text) {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
/** @param {RegExp} start @param {string} expected */
const address = (start, expected) => (/** @type {string} */ text) => {
  if (!start.test(text)) throw new Error(`must start with ${expected}`);
  return text;
};
/** Not `new URL`: a DSN over a unix socket has credentials and no host, which WHATWG URLs forbid. */
const postgresUrl = address(/^postgres(ql)?:\/\//, 'postgres://');
/** A host that only this machine reaches. None, or a folder, is a socket. */
const LOCAL = /^$|^\/|^localhost$|^127\.|^::1$/i;
const COMMON_PASSWORDS = ['1234', 'password', 'postgres'];
/** Taken apart as pg does, a part for each server. @param {string} text @throws {Error} with a remedy, which pg's own errors lack */
function partsOfPostgres(text) {
  postgresUrl(text);
  try {
    return serversOf(text).map((url) => parse(url));
  } catch (error) {
    const { path } = /** @type {NodeJS.ErrnoException} */ (error);
    const reason = path
      ? `names a file that cannot be read: ${path}`
      : 'must be a URL: postgres://user:password@host:port/database, or host:port,host:port for several servers, with its parts percent-encoded';
    throw new Error(reason, { cause: error });
  }
}
/** Without a password there may be a certificate or a .pgpass. @param {string} text */
function ofPostgres(text) {
  for (const { host, user, password } of partsOfPostgres(text))
    if (password && [...COMMON_PASSWORDS, user].includes(password) && !LOCAL.test(host ?? ''))
      throw new Error('has a password that attackers try first, over a network: make one with openssl rand -hex 24');
  const names = serversOf(text).map(nameOf);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`names ${twice} twice`);
  return text;
}
/** A PostgreSQL connection string, of one server or several. */
const dsn = makeValidator(ofPostgres);
const orNone = (/** @type {(text: string) => string} */ check) => makeValidator((text) => text && check(text));
const redisStart = address(/^(rediss?:\/\/|unix:\/\/([^/]+@[^/]+)?\/)/, 'redis://, rediss:// or unix:///');
/** Checked as a whole, so that the error names the setting: redis.js would throw during a start. @param {string} text */
function ofRedis(text) {
  const url = URL.parse(redisStart(text));
  const db = url?.protocol === 'unix:' ? (url.searchParams.get('db') ?? '') : url?.pathname.slice(1);
  if (!url || ![url.username, url.password, url.pathname].every(isEncoded) || !/^\d*$/.test(String(db)))
    throw new Error('must be a URL, its password and path percent-encoded, its database a number');
  return text;
}
const redisUrl = orNone(ofRedis);
const httpStart = address(/^https?:\/\//, 'http:// or https://');
/** The places of a product in SHOP_PRODUCT_URL. */
const PLACES = /\{(?:slug|id)\}/g;
/** As URLs write braces of a path. */
const ENCODED_PLACES = /%7B(slug|id)%7D/g;
/** Written as browsers would, so that it is a URL once its places are filled. @param {string} text */
function ofProducts(text) {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !text.includes('{id}') || /[{}]/.test(text.replace(PLACES, '')))
    throw new Error('must be a URL with {id}, and at most {slug} beside it: https://shop.example/p/{slug}-{id}');
  if (url.origin.includes('{') || url.username || url.password)
    throw new Error('must name one host, without {id}, {slug} or a password');
  return url.href.replace(ENCODED_PLACES, '{$1}');
}
const productUrl = orNone(ofProducts);
const currency = orNone((text) => {
  if (!Intl.supportedValuesOf('currency').includes(text))
    throw new Error('must be a currency of ISO 4217 in capital letters, such as EUR');
  return text;
});
const country = orNone((text) => {
  const known = /^[A-Z]{2}$/.test(text) && new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(text);
  if (!known) throw new Error('must be a country of ISO 3166 in two capital letters, such as DE');
  return text;
});
const httpUrl = orNone((text) => {
  if (!URL.canParse(httpStart(text))) throw new Error('must be a URL such as http://127.0.0.1:4318/v1/traces');
  return text;
});
/** @param {string} [hint] */
const filled = (hint = '') =>
  makeValidator((text) => {
    if (!text.trim()) throw new Error(`must not be empty${hint}`);
    return text;
  });
/** Node would listen on every interface for an empty one. */
const host = filled(': 0.0.0.0 or :: is every address');
const name = filled();
/** From 0 to 1. */
const ratio = makeValidator((text) => {
  const value = Number(text);
  if (!/^[0-9.]+$/.test(text) || !(value <= 1)) throw new Error('must be a number from 0 to 1');
  return value;
});
/**
 * An origin as browsers send it, or *. Whole replies are sent with heads that Node does not check: a line end in it
 * would begin another header.
 */
const origin = makeValidator((text) => {
  if (text !== '*' && URL.parse(text)?.origin !== text)
    throw new Error('must be * or one origin such as https://shop.example');
  return text;
});
const paths = orNone((text) => {
  if (!text.split(':').every((path) => path.startsWith('/')))
    throw new Error('must be absolute paths, with : between them');
  return text;
});
const port = integer(0, 65535);
const count = integer(1);
const ms = integer(1);
const whole = integer(0);

exports.integer = integer;
exports.host = host;
exports.name = name;
exports.partsOfPostgres = partsOfPostgres;
exports.dsn = dsn;
exports.redisUrl = redisUrl;
exports.httpUrl = httpUrl;
exports.productUrl = productUrl;
exports.country = country;
exports.currency = currency;
exports.origin = origin;
exports.ratio = ratio;
exports.paths = paths;
exports.port = port;
exports.count = count;
exports.ms = ms;
exports.whole = whole;
