'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { environment } = require('../lib/environment');

/* PostgreSQL refuses to run as root, but root starts it from a clone that no other account can enter (/root, mode 0700). */

/** @returns {{ uid: string, gid: string }} */
function nobody() {
  const [, uid, gid] = fs.readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m) ?? [];
  return { uid: uid ?? '65534', gid: gid ?? '65534' };
}

/** @typedef {{ words: string[], owner: number }} Way how a command runs as "nobody", and who owns the files that it makes */

/** @returns {Way[]} the best first */
function ways() {
  const { uid, gid } = nobody();
  return [
    // root looks like "nobody" inside a user namespace, over the same files
    { words: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`], owner: 0 },
    // Containers often forbid that. Then "nobody" itself, with root's right to pass through every folder.
    {
      words: [
        ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
        ...['--inh-caps=+dac_override', '--ambient-caps=+dac_override'],
      ],
      owner: Number(uid),
    },
  ];
}

/** @type {Way | undefined} of this machine, tried once */
let chosen;

/** @returns {Way} @throws {Error} when root can become no other account */
function wayOfMachine() {
  const works = (/** @type {Way} */ { words: [program, ...words] }) =>
    spawnSync(program, [...words, 'true'], { env: environment('server') }).status === 0;
  chosen ??= ways().find(works);
  if (chosen) return chosen;
  throw new Error(
    'PostgreSQL does not run as root, and here root can neither make a user namespace (unshare) nor become another account (setpriv): ' +
      'start as an ordinary user (in a container: docker run --user 1000:1000), or name a server in DATABASE_URL',
  );
}

/** @param {string[]} command @returns {string[]} the same, by an account that PostgreSQL accepts */
const notAsRoot = (command) => (process.getuid?.() === 0 ? [...wayOfMachine().words, ...command] : command);

/** A data directory must belong to the account of its server, but may come from a machine with another account. @param {string} pgdata */
function adopt(pgdata) {
  if (process.getuid?.() !== 0) return;
  const { owner } = wayOfMachine();
  if (fs.statSync(pgdata).uid === owner) return;
  const { status, stderr } = spawnSync('chown', ['--recursive', String(owner), pgdata], {
    env: environment('server'),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`cannot change the owner of ${pgdata} to uid ${owner}: ${stderr.trim()}`);
}

module.exports = { adopt, notAsRoot };
