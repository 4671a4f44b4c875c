'use strict';
const path = require('node:path');
const { apps } = require('../../ecosystem.config');

test("PM2 finds a worker's script below its folder, and no space in a path makes a command of it", () => {
  for (const { script, cwd } of apps) {
    expect(path.isAbsolute(script)).toBe(false);
    expect(script).not.toContain(' ');
    expect(require.resolve(path.join(cwd, script))).toBe(require.resolve('../../server/index.js'));
  }
});
