'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { generateSample } = require('../../scripts/lib/commands');
const { runOrThrow, runTool } = require('../../scripts/lib/run');
const { cannotLimitMemory, limitMemory } = require('../helpers/memory-limit');
const { unless } = require('../helpers/skip');

const limitMb = 1024;
/** Its tables are several times the limit. The loader's memory does not grow with the catalog (tests/lab/bench/DECISIONS.md). */
const products = 300_003;
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'little-memory-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

unless(cannotLimitMemory()).test(
  `a load and its PostgreSQL run inside ${limitMb} MB, page cache included`,
  async () => {
    const data = path.join(dir, 'data');
    await runOrThrow(generateSample(data, products));
    const limit = limitMemory(limitMb);
    try {
      const loader = path.join(__dirname, '../helpers/load-on-own-server.js');
      const command = limit.within([process.execPath, loader, path.join(dir, 'server'), data]);
      const { status, output } = await runTool(command, { keepOutput: true });
      expect({ killed: limit.killed(), status, output }).toEqual({ killed: 0, status: 0, output: '' });
    } finally {
      limit.remove();
    }
  },
  600_000,
);
