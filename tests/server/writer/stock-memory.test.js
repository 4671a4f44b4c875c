'use strict';

const { once } = require('node:events');

/** @type {any} */
const { apps } = require('../../../ecosystem.config');
const { peakResidentMb } = require('../../../scripts/lib/proc');
const { createCatalog } = require('../../helpers/database');
const { freePort } = require('../../helpers/servers');
const { startWorker } = require('../../helpers/worker');
const { callerOf, prepareWrites } = require('../../helpers/writer');

/** The limit of house for a process of the service. */
const MAX_MB = 150;

test('wrong bodies of a megabyte do not fill the memory, and right ones neither', async () => {
  const catalog = await createCatalog();
  const key = await prepareWrites(catalog, { scopes: ['stock'] });
  const port = await freePort(2);
  const settings = {
    ...{ WRITE_PORT: port, WRITE_ADMIN_PORT: port + 1, WRITE_DATABASE_URL: catalog.writerDsn },
    ...{ ...apps[0].env, NODE_OPTIONS: apps[0].node_args.join(' ') }, // as PM2 starts it
  };
  const writer = startWorker(settings, 'writer/index.js');
  await once(writer.child, 'message');
  const call = callerOf(`http://127.0.0.1:${port}`, key);
  const wrong = [
    `{"set":[${'[],'.repeat(349_000)}[]]}`,
    `{"set":[${'[1.5,1],'.repeat(130_000)}[]]}`,
    `{"set":${'[ '.repeat(500_000)}`,
    `{"adjust":[[1,1${'0'.repeat(1_000_000)}]]}`,
    `{${'"a":1,'.repeat(170_000)}"b":1}`,
  ];
  const right = { set: Array.from({ length: 10_000 }, () => [999_999_999, 999_999_999, 999_999_999]) };
  for (let round = 0; round < 4; round += 1) {
    const replies = await Promise.all([...wrong, ...wrong].map((body) => call('POST', '/stock', body)));
    // A key may have 4 MB of bodies waiting.
    expect(replies.filter(({ status }) => status !== 422 && status !== 429)).toEqual([]);
    const { status, body } = await call('POST', '/stock', right);
    expect([status, body.rejected?.length]).toEqual([200, 10_000]);
  }
  expect(peakResidentMb(Number(writer.child.pid))).toBeLessThan(MAX_MB);
  writer.child.kill('SIGTERM');
  await writer.exited;
  await catalog.drop();
}, 60_000);
