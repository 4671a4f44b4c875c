'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { root } = require('../../../scripts/lib/runtime');
const { useInstalled } = require('../../helpers/installed');
const { unless } = require('../../helpers/skip');

/** @type {Record<string, { status: number, body: unknown }>} */
const fixtures = require('../../../server/client/fixtures.json');

const { missing, dir } = useInstalled('msw@2.9.0');

/** MSW replaces `fetch` of its process. @param {string} url of the handlers @param {string[]} asked */
function answers(url, asked) {
  const program = path.join(dir, 'shop.mjs');
  fs.writeFileSync(
    program,
    `import { http } from 'msw';
    import { setupServer } from 'msw/node';
    import { catalogHandlers } from ${JSON.stringify(path.join(root, 'server/client/msw/handlers.js'))};
    setupServer(...catalogHandlers(http, ${JSON.stringify({ url })})).listen({ onUnhandledRequest: 'error' });
    const replies = ${JSON.stringify(asked)}.map(async (url) => {
      const reply = await fetch(url);
      return { status: reply.status, body: await reply.json() };
    });
    console.log(JSON.stringify(await Promise.all(replies)));`,
  );
  const words = ['--no-warnings', program];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8', maxBuffer: 2 ** 26 }));
}

unless(missing).describe('MSW with the handlers', () => {
  const replies = Object.values(fixtures).map(({ status, body }) => ({ status, body }));

  test.each(['*', 'https://shop.example/api'])('answers each fixture for the address %s', (url) => {
    const asked = Object.keys(fixtures).map((name) => `https://shop.example${url === '*' ? '' : '/api'}${name}`);
    expect(answers(url, asked)).toEqual(replies);
  });

  test('names a reply that is missing', () => {
    const [{ status, body }] = answers('*', ['https://shop.example/search?q=nothing']);
    expect([status, body.detail]).toEqual([501, expect.stringContaining('/search?q=nothing')]);
  });
});
