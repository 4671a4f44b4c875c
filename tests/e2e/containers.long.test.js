'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { askConstantly, request } = require('../helpers/http');
const { lack, openContainers } = require('../helpers/podman');
const { unless } = require('../helpers/skip');

/* scripts/containers on podman: images from its Containerfile, then all of compose.yaml. */

const buildMs = 900_000; // four minutes beside other work
const upMs = 120_000;
const url = 'http://catalog';
const routes = [
  '/products',
  '/products/1',
  '/products/1/styles',
  '/products/1/related',
  '/search?q=jacket',
  '/catalog',
];
const serving = ['catalog_worker_1', 'catalog_worker_2', 'catalog_writer_1'];
const { describe: withPodman } = unless(lack());

withPodman('the containers', () => {
  /** @type {Awaited<ReturnType<typeof openContainers>>} */
  let containers;
  /** @type {string} a socket of nginx */
  let front;
  /** @type {string} a socket of the writer */
  let writer;
  /** @type {ReturnType<typeof askConstantly> | undefined} */
  let traffic;
  /** @type {string} */
  let dir;
  const get = (/** @type {string} */ target) => request(url, { path: target, socketPath: front });
  const podman = (/** @type {string[]} */ ...words) => containers.inside('podman', ...words);
  const names = async () => (await podman('ps', '-a', '--format', '{{.Names}}')).split('\n').filter(Boolean);

  beforeAll(async () => {
    dir = fs.mkdtempSync(path.join(os.tmpdir(), 'containers-'));
    containers = await openContainers(dir);
    await containers.compose('up', '--detach', '--no-build');
    [front, writer] = await Promise.all([8080, 7030].map(containers.expose));
    const answers = () =>
      get('/products/1').then(
        ({ status }) => status === 200,
        () => false,
      );
    await waitUntil(answers, upMs);
  }, buildMs);
  afterAll(async () => {
    await traffic?.stop();
    await containers?.close();
    fs.rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  test('answer six routes through nginx', async () => {
    const replies = await Promise.all(routes.map(async (route) => [route, (await get(route)).status]));
    expect(replies).toEqual(routes.map((route) => [route, 200]));
  });

  test('run our programs without root, on a root file system that is read-only', async () => {
    const ours = (await names()).filter((name) => !name.includes('postgres'));
    const format = '{{.Name}} {{.Config.User}} {{.HostConfig.ReadonlyRootfs}}';
    const facts = await podman('inspect', '--format', format, ...ours);
    expect(facts.split('\n')).toEqual(ours.map((name) => `${name} 10001:10001 true`));
    expect(ours).toEqual(expect.arrayContaining([...serving, 'catalog_load_1', 'catalog_nginx_1']));
  });

  test('are healthy by their admin ports', async () => {
    for (const name of serving) expect([name, await podman('healthcheck', 'run', name)]).toEqual([name, '']);
  });

  test('give a worker a role that cannot write', async () => {
    const query = `
      const client = new (require('pg').Client)(process.env.DATABASE_URL);
      client.connect()
        .then(() => client.query('SET default_transaction_read_only = off'))
        .then(() => client.query('DELETE FROM catalog.products'))
        .then(() => console.log('deleted'), (error) => console.log(error.message))
        .then(() => client.end());`;
    const said = await podman('exec', 'catalog_worker_1', 'node', '-e', query);
    expect(said).toBe('permission denied for table products');
  });

  test('show a price that the writer got', async () => {
    const command = 'node scripts/key.js create pim --scopes content';
    const key = await containers.compose('run', '--rm', '-T', 'roles', ...command.split(' '));
    const price = async () => JSON.parse((await get('/products/7')).body).default_price;
    expect(await price()).not.toBe('0.07');
    const { status } = await request(url, {
      path: '/products/7',
      method: 'PATCH',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/merge-patch+json' },
      body: JSON.stringify({ default_price: '0.07' }),
      socketPath: writer,
    });
    expect(status).toBe(200);
    expect(await waitUntil(async () => (await price()) === '0.07', 10_000)).toBe(true);
  });

  test('drain a worker on SIGTERM without a failed request, and use its successor', async () => {
    traffic = askConstantly(url, { path: '/products?ids=1,2', socketPath: front }); // nginx keeps no batches
    await podman('stop', 'catalog_worker_1');
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', 'catalog_worker_1')).toBe('0');
    await podman('start', 'catalog_worker_1');
    const address = () =>
      podman('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', 'catalog_worker_1');
    const isHealthy = () =>
      podman('healthcheck', 'run', 'catalog_worker_1').then(
        () => true,
        () => false,
      );
    expect(await waitUntil(isHealthy, 30_000)).toBe(true);
    const isAsked = async () => (await podman('logs', '--tail', '1', 'catalog_nginx_1')).includes(await address());
    expect(await waitUntil(isAsked, 10_000)).toBe(true);
    await podman('stop', 'catalog_worker_2'); // the successor alone answers
    const { asked, failed } = await traffic.stop();
    expect(failed).toEqual([]);
    expect(asked).toBeGreaterThan(100);
  }, 90_000);

  test('leave no container, volume or network when they are removed', async () => {
    await containers.compose('down', '--volumes');
    expect(await names()).toEqual([]);
    expect(await podman('volume', 'ls', '--quiet')).toBe('');
    expect(await podman('network', 'ls', '--format', '{{.Name}}')).toBe('podman');
  }, 60_000);
});
