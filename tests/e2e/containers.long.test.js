'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { askConstantly, request } = require('../helpers/http');
const { lack, openContainers } = require('../helpers/podman');
const { unless } = require('../helpers/skip');

/* scripts/containers on podman: images from its Containerfile, then all of compose.yaml. */

const buildMs = 1_500_000; // eight minutes beside other work
const upMs = 480_000;
const url = 'http://catalog';
const routes = [
  '/products',
  '/products/1',
  '/products/1/styles',
  '/products/1/related',
  '/search?q=jacket',
  '/catalog',
];
/** A Secret of Kubernetes, as Podman 4.3 keeps it: its data alone. By the passwords of compose.yaml. */
const secret = `
  of() { printf %s "$1" | base64 -w 0; }
  podman secret create catalog - <<END
{
  "api": "$(of "postgres://catalog_api:$API_PASSWORD@postgres/catalog")",
  "writer": "$(of "postgres://catalog_writer:$WRITER_PASSWORD@postgres/catalog")",
  "cache": "$(of "redis://:$CACHE_PASSWORD@valkey")"
}
END
  true`;
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
    if (await waitUntil(answers, upMs)) return;
    const states = await podman('ps', '-a', '--format', '{{.Names}} {{.Status}}');
    throw new Error(`there is no product after ${upMs} ms:\n${states}\n${await podman('logs', 'catalog_load_1')}`);
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

  test('serve HTTPS, with the certificate of compose.yaml', async () => {
    const script =
      "fetch('https://127.0.0.1:8443/products/1').then((reply) => reply.json()).then(({ id }) => console.log(id))";
    const trusting = ['env', `NODE_EXTRA_CA_CERTS=${containers.certificate}`, process.execPath, '-e', script];
    expect(await containers.inside(...trusting)).toBe('1');
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

  test('serve as the Deployments of kubernetes.yaml, too', async () => {
    const documents = fs.readFileSync(path.join(root, 'scripts/containers/kubernetes.yaml'), 'utf8').split('---\n');
    // Podman knows no Services, and no addresses of namespaces, which nginx needs.
    const ours = documents.filter((text) => /^kind: Deployment\nmetadata: \{ name: (worker|writer) \}/m.test(text));
    expect(ours).toHaveLength(2);
    const file = path.join(dir, 'deployments.yaml');
    fs.writeFileSync(file, ours.join('---\n'));
    await containers.inside('sh', '-ec', `${secret} && podman kube play --network catalog_default ${file}`);
    const played = await names();
    const [worker, other] = ['worker', 'writer'].map(
      (name) => played.find((each) => each.startsWith(`${name}-pod`) && each.endsWith(`-${name}`)) ?? `no ${name}`,
    );
    const isReady = (/** @type {string} */ name, /** @type {string} */ port) =>
      podman('exec', name, 'node', 'scripts/containers/healthy.js', port).then(
        () => true,
        () => false,
      );
    expect(await waitUntil(() => isReady(worker, '9030'), 30_000)).toBe(true);
    expect(await waitUntil(() => isReady(other, '7031'), 30_000)).toBe(true);
    const asking =
      "fetch('http://127.0.0.1:3030/products/1').then((reply) => reply.json()).then(({ id }) => console.log(id))";
    expect(await podman('exec', worker, 'node', '-e', asking)).toBe('1');
    await podman('kube', 'down', file);
  }, 120_000);

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

  test('have an image for editors with what npm start needs', async () => {
    const { build } = JSON.parse(fs.readFileSync(path.join(root, '.devcontainer.json'), 'utf8'));
    expect(path.join(root, build.dockerfile)).toBe(path.join(root, 'scripts/containers/Containerfile'));
    const script = 'git --version && python3 -m venv /tmp/venv && node -p process.versions.node';
    await containers.build(build.target, 'localhost/editor');
    const printed = await podman('run', '--rm', '--entrypoint', 'sh', 'localhost/editor', '-ec', script);
    expect(printed).toMatch(/^git version .*\n2[0-9]\./);
  }, 300_000);

  test('leave no container, volume or network when they are removed', async () => {
    await containers.compose('down', '--volumes');
    expect(await names()).toEqual([]);
    expect(await podman('volume', 'ls', '--quiet')).toBe('');
    expect(await podman('network', 'ls', '--format', '{{.Name}}')).toBe('podman');
  }, 60_000);
});
