'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { UsageError } = require('../../../scripts/lib/command-line');

const mirrors = {
  trixie: 'http://deb.debian.org/debian',
  bookworm: 'http://deb.debian.org/debian',
  noble: 'http://archive.ubuntu.com/ubuntu',
};
const programs = ['mmdebstrap', 'unshare', 'nsenter', 'setpriv', 'ip'];
const ubuntuKeys = '/usr/share/keyrings/ubuntu-archive-keyring.gpg';
const hostCertificates = '/usr/local/share/ca-certificates';

/** @typedef {keyof typeof mirrors} Suite */

/** @param {string} program @param {string[]} words @param {object} [options] */
const run = (program, words, options) =>
  execFileSync(program, words, { stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 2 ** 26, ...options });

/** @param {string} suite */
function requireTools(suite) {
  if (process.getuid?.() !== 0) throw new UsageError('run this as root: it makes namespaces');
  const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (missing.length > 0)
    throw new UsageError(`${missing.join(', ')} missing: apt-get install mmdebstrap util-linux iproute2`);
  if (suite === 'noble' && !fs.existsSync(ubuntuKeys))
    throw new UsageError(`${ubuntuKeys} is missing: it is in Ubuntu's package ubuntu-keyring`);
}

/**
 * @param {Suite} suite @param {string} cache
 * @returns {string} an archive of the bare distribution; made once
 */
function bareArchive(suite, cache) {
  const archive = path.join(cache, `${suite}-with-sshd.tar`);
  if (fs.existsSync(archive)) return archive;
  fs.mkdirSync(cache, { recursive: true });
  const components = suite === 'noble' ? ['--components=main,universe'] : [];
  // A cloud image also has these (apt is not a required package of Ubuntu); otherwise this one has less.
  const words = ['--variant=minbase', '--include=apt,systemd,dbus,ca-certificates,openssh-server', ...components];
  run('mmdebstrap', [...words, suite, `${archive}.new.tar`, mirrors[suite]]);
  fs.renameSync(`${archive}.new.tar`, archive);
  return archive;
}

/**
 * A root with the bare distribution, and this machine's name servers and added certificate authorities, because it uses the
 * same proxy.
 * @param {string} dir removed first @param {Suite} suite @param {string} cache
 */
function makeBare(dir, suite, cache) {
  const archive = bareArchive(suite, cache);
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true });
  run('tar', ['-C', dir, '-xf', archive]);
  fs.rmSync(path.join(dir, 'etc/resolv.conf'), { force: true });
  fs.copyFileSync('/etc/resolv.conf', path.join(dir, 'etc/resolv.conf'));
  if (fs.existsSync(hostCertificates))
    fs.cpSync(hostCertificates, path.join(dir, hostCertificates), { recursive: true });
  // Without TMPDIR, which names a folder of the host.
  run('chroot', [dir, 'env', '-u', 'TMPDIR', 'update-ca-certificates']);
}

module.exports = { makeBare, mirrors, requireTools };
