'use strict';

const { until } = require('../../helpers/app');
const { openShell } = require('../../helpers/command-lines');
const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

const served = serveWriter();
/** @param {string | undefined} authorization @param {string} [path] */
const statusOf = async (authorization, path = '/products/1') => {
  const headers = authorization === undefined ? undefined : { Authorization: authorization };
  const response = await fetch(`${served.app.url}${path}`, { headers });
  await response.text();
  return response.status;
};

/** A secret may have underscores. @param {string} key */
const partsOf = (key) => (/^ck_([0-9a-f]+)_(.{20,})$/.exec(key) ?? []).slice(1);

test('a request needs a key, also for a path that the key may not use', async () => {
  const [id, secret] = partsOf(served.key);
  for (const wrong of [
    ...[
      undefined,
      '',
      'Bearer',
      `Basic ${served.key}`,
      `Bearer ${served.key}x`,
      `Bearer ck_${id}_${secret.toUpperCase()}`,
    ],
    ...[`Bearer ck_000000000000_${secret}`, 'Bearer ck_', `Bearer ck_${id}_`],
  ])
    expect([wrong, await statusOf(wrong)]).toEqual([wrong, 401]);
  expect(await statusOf(`Bearer ${served.key}`)).toBe(200);
  const response = await fetch(`${served.app.url}/products/1`);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
});

test('a key may only what its scopes name', async () => {
  const reader = callerOf(
    served.app.url,
    await prepareWrites(served.catalog, { name: 'auditor', scopes: ['history'] }),
  );
  const refused = await reader('GET', '/products/1');
  expect([refused.status, refused.body.detail]).toEqual([403, 'The key auditor lacks the scope content.']);
  expect((await reader('PATCH', '/products/1', { name: 'x' })).status).toBe(403);
  expect((await reader('GET', '/products/1/revisions')).status).toBe(404); // nothing was written
});

test('a body is not read for a caller without a key', async () => {
  const response = await fetch(`${served.app.url}/products`, { method: 'POST', body: 'x'.repeat(2 ** 20) });
  expect([response.status, response.headers.get('connection')]).toEqual([401, 'close']);
});

test('a path that does not exist, another method and the description need no key', async () => {
  expect(await statusOf(undefined, '/nowhere')).toBe(404);
  expect(await statusOf(undefined, '/openapi.json')).toBe(200);
  const response = await fetch(`${served.app.url}/products`);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});

test('npm run key makes a key that works at once, lists it without its secret, and revokes it', async () => {
  const shell = openShell();
  const env = { LOADER_DATABASE_URL: served.catalog.loaderDsn };
  const run = (/** @type {string[]} */ ...words) => shell.type('key.js', words, env);
  const { stdout } = await run('create', 'till', '--scopes', 'content,stock');
  const key = stdout.trim();
  expect(await statusOf(`Bearer ${key}`)).toBe(200);
  const [id, secret] = partsOf(key);
  const listed = (await run('list')).stdout;
  expect(listed).toMatch(new RegExp(`^${id}  till  content,stock  made 20`, 'm'));
  expect(listed).not.toContain(secret);
  const { rows } = await served.catalog.client.query('SELECT api_keys::text AS row FROM catalog_meta.api_keys');
  expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);

  expect((await run('create', 'till', '--scopes', 'content')).stderr).toContain('there was a key till');
  expect((await run('create', 'x', '--scopes', 'contents')).stderr).toContain('did you mean content?');
  expect((await run('create', 'x')).stderr).toContain('--scopes is missing');
  expect((await run('revoke', id)).stdout).toBe(`revoked ${id}\n`);
  expect((await run('revoke', id)).stderr).toContain(`no key ${id} is in force`);
  await until(async () => (await statusOf(`Bearer ${key}`)) === 401);
  shell.close();
}, 60_000);
