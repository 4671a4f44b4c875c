'use strict';
const { startPm2 } = require('../../../scripts/local/pm2');
const { useFolder } = require('../../helpers/folder');
const { freePort } = require('../../helpers/servers');
const { processesOf } = require('../../helpers/stack');

const { at, write } = useFolder('pm2');

test("fails with the workers' last lines when they end at once, and leaves nothing behind", async () => {
  const first = await freePort(4);
  const ports = { CATALOG_WORKER_PORT: String(first), CATALOG_ADMIN_PORT: String(first + 2) };
  const settings = { DATABASE_URL: 'nonsense', CATALOG_WORKERS: '2', ...ports };
  write(`state/logs/worker-${first}.log`, 'words of yesterday');
  const failed = await startPm2({ dir: at('state'), settings }).catch(({ message }) => message);
  for (const port of [first, first + 1])
    expect(failed).toMatch(new RegExp(`worker-${port}: .*\\n  DATABASE_URL: must start with postgres://`));
  expect(failed).not.toContain('yesterday');
  expect(processesOf(at('state'))).toEqual([]);
}, 60_000);
