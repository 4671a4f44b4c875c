'use strict';

/**
 * @param {import('node:http').IncomingMessage} req @param {string} name of a preference, in lower case
 * @returns {string | null} its value, which may be empty; null: it is not asked. The first one counts (RFC 7240 §2)
 */
function preference(req, name) {
  for (const each of String(req.headers.prefer ?? '').split(',')) {
    const [given, value = ''] = each.split(';', 1)[0].split('=');
    if (given.trim().toLowerCase() === name) return value.trim().replace(/^"(.*)"$/, '$1');
  }
  return null;
}

exports.preference = preference;
