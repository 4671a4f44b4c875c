'use strict';
const { execFile, spawn, spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { readOrNothing } = require('../../scripts/lib/proc');
const { python, root } = require('../../scripts/lib/runtime');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { makeCertificate } = require('./certificate');
const { makePublicImages } = require('./public-images');

const recipes = path.join(root, 'scripts/containers');
const needed = ['mmdebstrap', 'podman', 'runc', 'iptables', 'catatonit', '/usr/lib/podman/aardvark-dns'];
const timeoutMs = 600_000;

/** Fails where containers cannot be: in some sandboxes, though podman is there. */
const probe = `
  dir=$(mktemp -d) && cd "$dir" && mkdir lower upper work root
  mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work root && umount root
  status=$?
  rm -r "$dir"
  [ $status = 0 ] && [ -w /sys/fs/cgroup ]`;

/** @returns {string | false} why this machine runs no containers */
function lack() {
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = needed.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (missing.length > 0) return `${missing.join(', ')} missing: .ci/run has the packages`;
  const { status } = spawnSync('unshare', ['--net', '--mount', 'sh', '-c', probe]);
  return status !== 0 && 'needs namespaces, overlays and cgroups';
}

/** Builds need the network. Their processes and mounts end with them. */
const building = 'unshare --mount --pid --fork --kill-child --mount-proc'.split(' ');
/** The end of these namespaces takes all processes, mounts, interfaces and rules of the containers with it. */
const running = [...building, '--net', '--ipc', '--uts'];
const prepare = 'mount -t tmpfs run /run; mount -t tmpfs containers /var/lib/containers; ip link set lo up';

/** Passes connections of a socket on to a port of the namespaces: `node -e RELAY PORT SOCKET`. */
const relay = `
  const net = require('node:net');
  const [port, socket] = process.argv.slice(1);
  net.createServer((near) => {
    const far = net.connect(Number(port), '127.0.0.1');
    for (const each of [near, far]) each.on('error', () => [near, far].forEach((both) => both.destroy()));
    near.pipe(far).pipe(near);
  }).listen(socket);`;

/** @param {string} dir @returns {string} a folder with a certificate, as compose.yaml wants it */
function certificateIn(dir) {
  const folder = path.join(dir, 'certificate');
  fs.mkdirSync(folder);
  const made = makeCertificate(folder);
  if (!made) throw new Error('openssl is missing');
  fs.renameSync(made.certFile, path.join(folder, 'fullchain.pem'));
  fs.chmodSync(made.keyFile, 0o644); // for the user 10001
  return folder;
}

/** @param {string} dir @returns {NodeJS.ProcessEnv} podman's files are below this folder, and passwords are new ones */
function environmentIn(dir) {
  const [containers, storage] = ['containers.conf', 'storage.conf'].map((name) => path.join(dir, name));
  // A container's limits may not exceed those of its parent.
  fs.writeFileSync(
    containers,
    `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
tmp_dir = "${dir}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "${dir}/networks"
`,
  );
  fs.writeFileSync(storage, `[storage]\ndriver = "overlay"\ngraphroot = "${dir}/root"\nrunroot = "${dir}/run"\n`);
  const passwords = ['POSTGRES', 'LOADER', 'API', 'WRITER', 'CACHE'].map((name) => [
    `${name}_PASSWORD`,
    crypto.randomBytes(24).toString('hex'),
  ]);
  const { PORT, HTTPS_PORT, WRITE_PORT, ...rest } = process.env;
  return {
    ...rest,
    ...Object.fromEntries(passwords),
    SAMPLE_PRODUCTS: '500',
    CERTIFICATE: certificateIn(dir),
    CONTAINERS_CONF: containers,
    CONTAINERS_STORAGE_CONF: storage,
    BUILDAH_ISOLATION: 'chroot',
    DISABLE_HC_SYSTEMD: 'true', // there is no systemd to run health checks
  };
}

/** @returns {string[]} the public images that the recipes use, but for Debian */
function publicImages() {
  const text = ['Containerfile', 'compose.yaml'].map((name) => fs.readFileSync(path.join(recipes, name), 'utf8'));
  const names = text.join('\n').match(/docker\.io\/[\w./:-]+/g) ?? [];
  return [...new Set(names.filter((name) => !name.includes('/debian:')))];
}

/** Empty groups that podman leaves when it is killed; those in use stay. */
function removeGroups() {
  for (const parent of fs.globSync('/sys/fs/cgroup/*/libpod_parent')) {
    const groups = fs.readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const group of [...groups.map(({ name }) => path.join(parent, name)), parent])
      spawnSync('rmdir', [group], { stdio: 'ignore' });
  }
}

/**
 * Builds the images, and makes namespaces to run them in.
 * @param {string} dir a new folder
 */
async function openContainers(dir) {
  const env = environmentIn(dir);
  /** @param {string[]} words @returns {Promise<string>} what it prints */
  const run = async (...words) => {
    const options = { env, cwd: recipes, timeout: timeoutMs, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(words[0], words.slice(1), options).catch((error) => {
      throw new Error(
        `${words.join(' ')}: status ${error.code}\n${error.stdout.slice(-3000)}${error.stderr.slice(-3000)}`,
      );
    });
    return stdout.trim();
  };
  const podmanCompose = [python, '-m', 'podman_compose'];
  await makePublicImages((...words) => run(...building, 'podman', ...words), path.join(dir, 'public'), publicImages());
  await run(...building, ...podmanCompose, '--parallel', '1', 'build');

  const holding = [...running, 'sh', '-ec', `${prepare}; echo; exec sleep infinity`];
  const holder = spawn(holding[0], holding.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => holder.once('close', resolve));
  await Promise.race([once(holder.stdout, 'data'), ended]);
  const first = readOrNothing(`/proc/${holder.pid}/task/${holder.pid}/children`).trim();
  const entering = ['nsenter', '--target', first, '--net', '--mount', '--pid', '--ipc', '--uts', `--wd=${recipes}`];
  const inside = (/** @type {string[]} */ ...words) => run(...entering, ...words);
  return {
    inside,
    certificate: path.join(env.CERTIFICATE ?? '', 'fullchain.pem'),
    /** @param {string} target of the Containerfile @param {string} name of its image */
    build: (target, name) =>
      run(...building, 'podman', 'build', '--target', target, '--tag', name, '--file', 'Containerfile', root),
    compose: (/** @type {string[]} */ ...words) => inside(...podmanCompose, ...words),
    /** @param {number} port inside @returns {Promise<string>} a socket of this machine for it */
    expose: async (port) => {
      const socket = path.join(dir, `${port}.sock`);
      const words = [...entering, process.execPath, '-e', relay, String(port), socket];
      spawn(words[0], words.slice(1), { stdio: 'ignore' });
      if (!(await waitUntil(() => fs.existsSync(socket), 10_000))) throw new Error(`nothing passes on to ${port}`);
      return socket;
    },
    /** All that runs inside ends. */
    close: async () => {
      holder.kill('SIGKILL');
      await ended;
      removeGroups();
    },
  };
}

module.exports = { lack, openContainers };
