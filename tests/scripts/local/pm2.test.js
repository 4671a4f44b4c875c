'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startPm2 } = require('../../../scripts/local/pm2');
const { describeState } = require('../../../scripts/local/state');
const { freePort } = require('../../helpers/servers');
const { processesOf } = require('../../helpers/stack');

test("fails with the workers' last lines when they end at once, and leaves nothing behind", async () => {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'pm2-')), 'state');
  const first = await freePort(4);
  const settings = {
    DATABASE_URL: 'nonsense',
    CATALOG_WORKERS: '2',
    CATALOG_WORKER_PORT: String(first),
    CATALOG_ADMIN_PORT: String(first + 2),
  };
  const { logs } = describeState(dir);
  fs.mkdirSync(logs, { recursive: true });
  fs.writeFileSync(path.join(logs, `worker-${first}.log`), 'words of yesterday');
  const failed = await startPm2({ dir, settings }).catch(({ message }) => message);
  for (const port of [first, first + 1])
    expect(failed).toMatch(new RegExp(`worker-${port}: .*\\n  DATABASE_URL: must start with postgres://`));
  expect(failed).not.toContain('yesterday');
  expect(processesOf(dir)).toEqual([]);
  fs.rmSync(path.dirname(dir), { recursive: true });
}, 60_000);
