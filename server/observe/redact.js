'use strict';

const MARK = '[redacted]';
/** Shorter ones would redact ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** scheme://user:password@ in any text, as connection strings have it. Bounded: otherwise the match is quadratic for a long path. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"']*):[^\s@/"']+@/gi;
/** password=… of a libpq string. */
const KEYWORD = /\b(password|passwd|pwd)=[^\s&"'\\]+/gi;

/** The password of a setting, before its host or among its parameters. */
const URL_SECRET = /:\/\/[^:/@]*:([^@/]+)@|[?&]password=([^&#]+)/g;

/**
 * Texts that must never be in a log line: the passwords inside the settings, and keys.
 * @param {import('../config/config').Config} config
 * @returns {string[]}
 */
function secretsOf(config) {
  const urls = [config.DATABASE_URL, config.REDIS_URL, config.OTLP_TRACES_URL];
  const passwords = urls.flatMap((url) => [...url.matchAll(URL_SECRET)].map(([, ...found]) => found.join('')));
  const known = [...passwords, ...passwords.map(decoded), config.NEW_RELIC_LICENSE_KEY];
  return [...new Set(known)].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

/** @param {string} text percent-encoded */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Works on the finished line of JSON, not on named fields: a driver may put a connection string into any message.
 * @param {string[]} secrets
 * @returns {(line: string) => string}
 */
function createRedact(secrets) {
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  // The longest first, and all before the patterns: a secret that is replaced in part would leave its rest.
  const known = [...new Set(written)].sort((a, b) => b.length - a.length);
  return (line) => {
    let clean = line;
    for (const secret of known) clean = clean.replaceAll(secret, MARK);
    return clean.replace(URL_PASSWORD, `$1:${MARK}@`).replace(KEYWORD, `$1=${MARK}`);
  };
}

exports.secretsOf = secretsOf;
exports.createRedact = createRedact;
