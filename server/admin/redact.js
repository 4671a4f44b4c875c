'use strict';

const MARK = '[redacted]';
/** Shorter ones would blot out ordinary words. */
const MIN_SECRET_LENGTH = 6;

/** scheme://user:password@ in any text, as connection strings have it. Bounded: else a long path would be read again from each of its letters. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"']*):[^\s@/"']+@/gi;
/** password=… of a libpq string. */
const KEYWORD = /\b(password|passwd|pwd)=[^\s&"'\\]+/gi;

/**
 * What must never stand in a log line: the passwords inside the settings, and keys.
 * @param {import('../config').Config} config
 * @returns {string[]}
 */
function secretsOf(config) {
  const passwords = [config.DATABASE_URL, config.REPLICA_DATABASE_URL, config.REDIS_URL].map(
    (url) => /:\/\/[^:/@]*:([^@/]+)@/.exec(url)?.[1] ?? '',
  );
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
 * Works on the finished line, not on named fields: a driver may put a connection string into any message.
 * @param {string[]} secrets
 * @returns {(line: string) => string}
 */
function createRedact(secrets) {
  return (line) => {
    let clean = line.replace(URL_PASSWORD, `$1:${MARK}@`).replace(KEYWORD, `$1=${MARK}`);
    for (const secret of secrets) clean = clean.replaceAll(secret, MARK);
    return clean;
  };
}

exports.secretsOf = secretsOf;
exports.createRedact = createRedact;
