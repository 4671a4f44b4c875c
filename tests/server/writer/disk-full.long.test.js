'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createKilledStock } = require('../../helpers/killed-stock');
const { unless } = require('../../helpers/skip');

/** PostgreSQL with its WAL, and little more. */
const DISK_MB = 320;
const SETTINGS = { shared_buffers: '16MB', min_wal_size: '96MB', max_wal_size: '128MB', checkpoint_timeout: '30s' };

const disk = fs.mkdtempSync(path.join(os.tmpdir(), 'small-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0755`, 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (mounted) spawnSync('umount', ['--lazy', disk]);
  fs.rmSync(disk, { recursive: true });
});

unless(!mounted && 'no small disk can be mounted here').test(
  'a full disk loses no acknowledged stock, and writes resume after it',
  async () => {
    const stock = await createKilledStock({ disk, settings: SETTINGS });
    try {
      for (const what of /** @type {const} */ (['tables', 'WAL', 'tables'])) await stock.fillDisk(what);
      expect(await stock.defects()).toEqual([]);
    } finally {
      await stock.close();
    }
  },
  120_000,
);
