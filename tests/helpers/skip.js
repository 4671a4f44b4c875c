'use strict';

/** @typedef {(title: string, body: jest.ProvidesCallback, timeoutMs?: number) => void} Test */

/**
 * Tests that some machines cannot run. The reason is part of the title, and `npm test` prints it beside its total: what a
 * file prints scrolls away, and Jest shows no console of a file whose tests are all skipped.
 * @param {string | false} reason why this machine cannot run them; false when it can
 * @returns {{ describe: (title: string, body: () => void) => void, test: Test }}
 */
function unless(reason) {
  if (!reason) return { describe, test };
  const why = (/** @type {string} */ title) => `${title} (skipped: ${reason})`;
  return {
    describe: (title, body) => describe.skip(why(title), body),
    test: (title, body) => test.skip(why(title), body),
  };
}

module.exports = { unless };
