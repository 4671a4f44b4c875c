'use strict';

const { Client } = require('pg');

const { until } = require('../../helpers/app');
const { serveFeed } = require('../../helpers/changes');
const { openShell } = require('../../helpers/command-lines');
const { addHook, readHook, startReceiver } = require('../../helpers/receiver');

const { served, head, rename } = serveFeed();
const shell = openShell();
afterAll(() => shell.close());
beforeEach(() => served.catalog.client.query('DELETE FROM catalog_meta.hooks'));

const run = (/** @type {string[]} */ ...words) =>
  shell.type('hook.js', words, { LOADER_DATABASE_URL: served.catalog.loaderDsn });

/** @param {string[]} words @returns {Promise<string>} the id of the hook that they add */
const add = async (...words) => /^hook (\d+) /.exec((await run('add', ...words)).stderr)?.[1] ?? '';

test('add shows a secret once, with which the receiver verifies what changes from then on', async () => {
  const receiver = await startReceiver();
  const { stdout, stderr } = await run('add', receiver.url, '--allow-private', '--types', 'product.*');
  expect(stdout).toMatch(/^whsec_[\w+/]{43}=\n$/);
  receiver.use(stdout.trim());
  await rename(1, 'Added');
  await until(() => receiver.taken().length === 1);
  expect(receiver.state.refused).toBe(0);
  const [, id] = /^hook (\d+) gets the changes after \d+\.\d+; /.exec(stderr) ?? [];
  await until(async () => (await readHook(served.catalog.client, Number(id))).bound === null);
  const listed = (await run('list')).stdout;
  expect(listed).toBe(`${id}  ${receiver.url}  product.*  at ${await head()}  in force: 200\n`);
  await receiver.close();
});

test.each([
  [['add'], 'URL is missing'],
  [['add', 'shop.example'], 'type a URL such as https://shop.example/hooks'],
  [['add', 'ftp://shop.example/'], 'type a URL such as'],
  [['add', `https://shop.example/${'x'.repeat(2000)}`], 'of at most 2000 characters'],
  [['add', 'https://me:pass@shop.example/'], 'the signature shows who sends'],
  [['add', 'http://shop.example/'], 'http needs --allow-private'],
  [['add', 'https://10.0.0.7/'], '10.0.0.7, a private address, needs --allow-private'],
  [['add', 'https://[fd00::7]/'], 'fd00::7, a private address, needs --allow-private'],
  [['add', 'https://shop.example/', '--types', 'products.*'], 'did you mean product.*?'],
  [['ad'], 'did you mean add?'],
  [['pause', '77'], 'no hook 77 is in force: npm run hook -- list shows them'],
  [['resume', 'x'], 'no hook x: npm run hook -- list shows them'],
  [['remove', '99999999999'], 'no hook 99999999999'],
  [['rotate', '77'], 'no hook 77'],
  [['test', '77'], 'no hook 77'],
  [['replay', '77', '--from', 'head'], 'no hook 77'],
  [['replay', '77'], '--from is missing: a cursor of the feed, or head'],
  [['replay', '77', '--from', 'now'], '--from now: type a cursor such as '],
  [['replay', '77', '--from', '1.99999'], 'the log has no such commit; its last one is '],
])('%j is refused with the next step, and adds nothing', async (words, text) => {
  const { status, stdout, stderr } = await run(...words);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(text);
  expect((await run('list')).stdout).toBe('');
});

test('pause and resume keep the cursor, and a replay sends again', async () => {
  const receiver = await startReceiver();
  const { client } = served.catalog;
  const id = await addHook(client, receiver.url);
  const begin = await head();
  expect((await run('pause', String(id))).stdout).toBe(`paused ${id} at ${begin}\n`);
  await rename(2, 'Later');
  expect((await run('list')).stdout).toContain(`at ${begin}  paused (operator)`);
  expect(receiver.requests).toEqual([]);
  expect((await run('resume', String(id))).stdout).toBe(`resumed ${id}\n`);
  await until(async () => (await readHook(client, id)).cursor !== begin);
  expect((await run('replay', String(id), '--from', begin)).stdout).toBe(
    `hook ${id} gets the changes after ${begin}\n`,
  );
  await until(() => receiver.requests.length === 2);
  expect(receiver.requests[1]).toEqual(receiver.requests[0]);
  await receiver.close();
});

test('a hook behind the log is not resumed, and begins again at a cursor that the log has', async () => {
  const { client } = served.catalog;
  const id = String(await addHook(client, 'https://shop.example/'));
  const begin = await head();
  await client.query("UPDATE catalog_meta.hooks SET paused = 'cursor-expired'");
  for (const index of [3, 4]) await rename(index, 'Gone');
  await client.query('DELETE FROM catalog_log.commits WHERE seq < (SELECT seq FROM catalog_log.head)');
  expect((await run('resume', id)).stderr).toContain(`export again, then replay ${id} --from CURSOR`);
  expect((await run('replay', id, '--from', begin)).stderr).toContain('changes are kept for 7 days. Export again');
  expect((await run('replay', id, '--from', 'head')).status).toBe(0);
  expect(await readHook(client, Number(id))).toMatchObject({ cursor: await head(), paused: null });
});

test('test shows what the receiver answers, also of a paused hook', async () => {
  const receiver = await startReceiver();
  const id = await add(receiver.url, '--allow-private');
  await run('pause', id);
  expect(await run('test', id)).toMatchObject({ status: 1, stdout: `hook ${id} answered: 401\n` });
  receiver.use((await run('rotate', id)).stdout.trim());
  expect(await run('test', id)).toMatchObject({ status: 0, stdout: `hook ${id} answered: 200\n` });
  expect(receiver.requests.map(({ id: own, changes }) => [own.slice(0, 5), changes])).toEqual([['test-', []]]);
  await receiver.close();
});

test('after a rotation both secrets sign, and after the next one only the last two', async () => {
  const receiver = await startReceiver();
  const first = await run('add', receiver.url, '--allow-private');
  const id = /^hook (\d+) /.exec(first.stderr)?.[1] ?? '';
  const secrets = [first.stdout.trim(), (await run('rotate', id)).stdout.trim()];
  const takes = async (/** @type {string} */ secret) => {
    receiver.use(secret);
    return (await run('test', id)).status === 0;
  };
  expect([await takes(secrets[0]), await takes(secrets[1])]).toEqual([true, true]);
  secrets.push((await run('rotate', id)).stdout.trim());
  expect([await takes(secrets[0]), await takes(secrets[1]), await takes(secrets[2])]).toEqual([false, true, true]);
  await receiver.close();
}, 60_000);

test('only the writer reads a secret, and a removal forgets it', async () => {
  const { catalog } = served;
  const id = await add('https://shop.example/');
  const secret = 'SELECT secret FROM catalog_meta.hook_secrets';
  /** @param {string} dsn @param {string} sql */
  const ask = async (dsn, sql) => {
    const client = new Client({ connectionString: dsn });
    await client.connect();
    const answer = await client.query(sql).then(
      ({ rowCount }) => rowCount,
      ({ code }) => code,
    );
    await client.end();
    return answer;
  };
  const asked = [];
  for (const dsn of [catalog.dsn, catalog.loaderDsn, catalog.writerDsn]) asked.push(await ask(dsn, secret));
  expect(asked).toEqual(['42501', '42501', 1]);
  expect(await ask(catalog.loaderDsn, `SET ROLE catalog_owner; ${secret}`)).toBe('42501');
  expect(await ask(catalog.dsn, 'SELECT url FROM catalog_meta.hooks')).toBe('42501');
  expect((await run('remove', id)).stdout).toBe(`removed ${id}\n`);
  expect(await ask(catalog.writerDsn, secret)).toBe(0);
});
