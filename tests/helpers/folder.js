'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/**
 * A folder for each test of a file, removed after it. Hooks that stop what runs there come before this call.
 * @param {string} name that its name begins with
 * @param {{ shared?: boolean }} [options] `shared`: one for all tests of the file
 * @returns {{ at: (...parts: string[]) => string, write: (file: string, text: string, mode?: number) => string }} `at`: a path
 *   in it; `write` makes folders on the way, and returns the path
 */
function useFolder(name, { shared = false } = {}) {
  // Resolved, as programs name what they make there.
  const make = () => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `${name}-`)));
  let dir = shared ? make() : '';
  if (!shared) beforeEach(() => void (dir = make()));
  (shared ? afterAll : afterEach)(() => fs.rmSync(dir, { recursive: true, force: true }));
  const at = (/** @type {string[]} */ ...parts) => path.join(dir, ...parts);
  return {
    at,
    write(file, text, mode = 0o644) {
      fs.mkdirSync(path.dirname(at(file)), { recursive: true });
      fs.writeFileSync(at(file), text, { mode });
      return at(file);
    },
  };
}

module.exports = { useFolder };
