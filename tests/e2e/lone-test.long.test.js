'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { python, root } = require('../../scripts/lib/runtime');
const { runTool } = require('../../scripts/lib/run');

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lone-'));
afterAll(() => fs.rmSync(dir, { recursive: true }));

/** The environment of an editor, which knows nothing of npm test. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TEST_|JEST_|npm_)/.test(name))),
  TMPDIR: dir,
};

test.each([
  ['Jest', [process.execPath, path.join(root, 'node_modules/jest/bin/jest.js'), 'tests/server/min-cursor.test.js']],
  ['pytest', [python, '-m', 'pytest', '-p', 'no:cacheprovider', 'tests/etl/test_grants.py']],
])(
  '%s runs a lone file on servers that it starts and stops',
  async (_, words) => {
    const { status, output } = await runTool(words, { env, keepOutput: true });
    expect([status, status ? output : '']).toEqual([0, '']);
    expect(output).toMatch(/[1-9]\d* passed/);
    expect(fs.readdirSync(dir).filter((name) => name.startsWith('catalog-test-'))).toEqual([]);
  },
  120_000,
);
