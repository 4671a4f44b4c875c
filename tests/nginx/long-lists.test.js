'use strict';
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const { renderNginx } = require('../../nginx/render');
const { fleet } = require('../../nginx/retries');
const { LARGE_INCLUDE_ROWS, SHORT_PAGE_ROWS } = require('../../server/core/policy');
const { request } = require('../helpers/http');
const { runNginx } = require('../helpers/nginx');
const { freePort } = require('../helpers/servers');

/** @param {number} count @param {string} [comma] */
const ids = (count, comma = ',') => Array.from({ length: count }, (_, index) => 1 + (index % 9)).join(comma);
const [longest, longestIncluding] = [SHORT_PAGE_ROWS, SHORT_PAGE_ROWS / LARGE_INCLUDE_ROWS];

describe('nginx in a fleet, before workers that refuse everything', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'long-lists-'));
  let asked = 0;
  const worker = http.createServer((_, response) => {
    asked += 1;
    response.writeHead(503).end();
  });
  /** @type {Awaited<ReturnType<typeof runNginx>>} */
  let nginx;
  let url = '';

  beforeAll(async () => {
    const port = await freePort(2);
    await new Promise((resolve) => void worker.listen(port + 1, () => resolve(null)));
    const upstreams = path.join(dir, 'upstreams.conf');
    // Two that are never left out, however often they refuse.
    const servers = ['127.0.0.1', '127.0.0.2'].map((host) => `server ${host}:${port + 1} max_fails=0;\n`);
    fs.writeFileSync(upstreams, servers.join(''));
    nginx = await runNginx(
      dir,
      renderNginx({ port, upstreams, work: dir, logs: dir, openFiles: 4096, retries: fleet }),
    );
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    worker.closeAllConnections();
    worker.close();
    await nginx?.stop();
    fs.rmSync(dir, { recursive: true });
  });

  /** A short list is offered to the other worker too. @param {string} query */
  async function isLong(query) {
    asked = 0;
    expect((await request(url, { path: `/products${query}` })).status).toBe(503);
    expect([1, 2]).toContain(asked);
    return asked === 1;
  }

  test.each([
    '',
    `?count=${longest}`,
    `?count=${longest}&include=offer,features`,
    `?count=${longest}&include=offer%2Crelated_ids`,
    `?count=${longestIncluding}&include=styles,related`,
    `?ids=${ids(longest)}`,
    `?ids=${ids(longest, '%2C')}`,
    `?ids=${ids(longestIncluding)}&include=styles`,
  ])('offers a short list to another worker: %s', async (query) => expect(await isLong(query)).toBe(false));

  test.each([
    `?count=${longest + 1}`,
    `?count=${longest + 1}&include=offer`,
    `?count=${longestIncluding + 1}&include=styles`,
    `?include=offer,related&count=${longestIncluding + 1}`,
    `?include=offer%2Cstyles&count=${longestIncluding + 1}`,
    `?include=offer%2cstyles&count=${longestIncluding + 1}`,
    `?include=%73tyles&count=${longestIncluding + 1}`,
    `?ids=${ids(longest + 1)}`,
    `?ids=${ids(longest + 1, '%2C')}`,
    `?ids=${ids(longestIncluding + 1)}&include=related`,
    `?ids=${ids(500).replaceAll(/\d/g, '1234567')}`,
    `?ids=1&ids=2`,
  ])('does not offer a long list to another worker: %s', async (query) => expect(await isLong(query)).toBe(true));
});
