'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { shellWord } = require('../../../scripts/lib/words');
const { read, root } = require('../../docs/sources');

const lib = path.join(root, 'scripts/provision/lib');
/** Files belong to root; an ordinary account is root in a namespace of its own. */
const asRoot = process.getuid?.() === 0 ? [] : ['unshare', '--user', '--map-root-user'];

/** @type {string} */
let folder;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'make-'))));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {string} script @param {Record<string, string>} [env] */
function bash(script, env = {}) {
  const sources = ['make', 'units', 'secrets'].map((name) => `source ${shellWord(`${lib}/${name}.sh`)}`);
  const whole = [...sources, `cd ${folder}`, 'secrets_file=$PWD/secrets.env', script, 'echo "$changes changes"'];
  const words = [...asRoot, 'bash', '-euo', 'pipefail', '-c', whole.join('\n')];
  const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
    // On a socket, such as a pipe of Node, bash assumes a remote shell and reads its start-up files.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, lines: stdout.trim().split('\n'), stderr: stderr.trim() };
}

const three = `
  ensure_directory $PWD/etc 750 root:root
  ensure_file $PWD/etc/file 600 root:root 'the text'
  ensure_link $PWD/link etc/file`;

describe('make_so checks, changes and checks again', () => {
  test('the first run makes everything, and the second changes nothing', () => {
    const first = bash(three);
    expect(first.lines).toEqual([
      `make the folder ${folder}/etc (750 root:root)`,
      `write ${folder}/etc/file (600 root:root)`,
      `point ${folder}/link to etc/file`,
      '3 changes',
    ]);
    expect(fs.readFileSync(path.join(folder, 'link'), 'utf8')).toBe('the text\n');
    expect(fs.statSync(path.join(folder, 'etc/file')).mode & 0o777).toBe(0o600);
    expect(bash(three).lines).toEqual(['0 changes']);
  });

  test('a dry run prints the same steps and makes nothing', () => {
    const { lines } = bash(`dry_run=yes\n${three}`);
    expect(lines.at(0)).toBe(`would make the folder ${folder}/etc (750 root:root)`);
    expect(lines.at(-1)).toBe('3 changes');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('a dry run prints each restart for the files that it would write once', () => {
    const script = `systemd_runs() { true; }
      systemctl() {
        case $* in
          'is-active --quiet '*) ;;
          'show -P ActiveEnterTimestamp '*) date ;;
          'show -P FragmentPath -P DropInPaths a.service') echo $PWD/drop-in ;;
          'show -P NeedDaemonReload a.service') echo no ;;
          *) fail "systemctl $*" ;;
        esac
      }
      touch -d '2026-01-01' drop-in settings rules same
      dry_run=yes
      for file in drop-in settings rules; do ensure_file $PWD/$file 600 root:root new; done
      ensure_read a.service $PWD/drop-in
      ensure_running a.service restart $PWD/settings
      ensure_running a.service reload $PWD/rules
      ensure_running b.service reload $PWD/same`;
    expect(bash(script).lines.slice(3)).toEqual([
      `would have systemd read ${folder}/drop-in`,
      'would restart a.service for its new settings',
      '5 changes',
    ]);
  });

  test.each([
    ['another text', 'echo other > etc/file'],
    ['another mode', 'chmod 644 etc/file'],
    ['its absence', 'rm etc/file'],
    ['a folder that others may enter', 'chmod 755 etc'],
    ['a link to elsewhere', 'ln -sfn elsewhere link'],
  ])('repairs %s and nothing else', (_, damage) => {
    bash(three);
    const { lines } = bash(`${damage}\n${three}`);
    expect(lines.at(-1)).toBe('1 changes');
    expect(bash(three).lines).toEqual(['0 changes']);
  });

  test.each([
    ['a drop-in', '/etc/a.conf'],
    ['a unit', '/etc/a.service'],
  ])('makes systemd read %s once, and restarts nothing', (_, file) => {
    const script = `systemd_runs() { true; }
      systemctl() {
        case $* in
          daemon-reload) touch read-again ;;
          'show -P FragmentPath -P DropInPaths a.service') if [[ -e read-again ]]; then echo ${file}; fi ;;
          'show -P NeedDaemonReload a.service') echo no ;;
          *) fail "systemctl $*" ;;
        esac
      }
      ensure_read a.service ${file}`;
    expect(bash(script).lines).toEqual([`have systemd read ${file}`, '1 changes']);
    expect(bash(script).lines).toEqual(['0 changes']);
  });

  test('reports a service that runs with an older unit, and does not restart it', () => {
    const script = (/** @type {string} */ since) => `systemd_runs() { true; }
      systemctl() {
        case $* in
          'is-active --quiet a.service') ;;
          'show -P ActiveEnterTimestamp a.service') echo '${since}' ;;
          *) fail "systemctl $*" ;;
        esac
      }
      touch -d '2026-01-02 00:00 UTC' a.service
      tell_older a.service a.service`;
    expect(bash(script('2026-01-03 00:00 UTC')).lines).toEqual(['0 changes']);
    expect(bash(script('2026-01-01 00:00 UTC')).lines).toEqual([
      'note: a.service was started before a.service changed. To apply it, run systemctl restart a.service, which closes its ports for a moment',
      '0 changes',
    ]);
  });

  test('no setting of a balancer restarts its nginx', () => {
    expect(read('scripts/provision/roles/lb.sh')).not.toMatch(/ensure_running \S+ restart/);
  });

  test.each([
    ['postgresql@.service', 'db.sh', 'postgresql-online.conf'],
    ['redis-server.service', 'cache.sh', 'redis-online.conf'],
  ])('%s of the distribution waits for the address that it listens on', (unit, role, file) => {
    expect(read(`scripts/provision/roles/${role}`)).toContain(`/${unit}.d/catalog.conf`);
    const lines = read(`scripts/provision/files/${file}`).split('\n');
    const target = 'network-online.target';
    expect(lines).toEqual(expect.arrayContaining([`Wants=${target}`, `After=${target}`]));
  });

  describe('the file that keeps services from starting while packages are installed', () => {
    const policy = () => path.join(folder, 'policy');
    const install = (/** @type {string} */ aptGet, installed = '[[ -e installed ]]') =>
      bash(`policy_file=$PWD/policy
        is_installed() { ${installed}; }
        apt-get() { [[ $1 != install ]] || { ${aptGet}; }; }
        ensure_packages a b`);

    test('exists during the installation only', () => {
      expect(install('./policy || echo $? > installed').status).toBe(0);
      expect(fs.readFileSync(path.join(folder, 'installed'), 'utf8')).toBe('101\n');
      expect(fs.existsSync(policy())).toBe(false);
    });

    test.each([
      ['and still has packages to install', '[[ -e installed ]]'],
      ['and has none', 'true'],
    ])('is removed by the run after one that was killed %s', (_, installed) => {
      install('kill -KILL $$');
      expect(fs.existsSync(policy())).toBe(true);
      expect(install('touch installed', installed).status).toBe(0);
      expect(fs.existsSync(policy())).toBe(false);
    });

    test('stays if another program wrote it', () => {
      fs.writeFileSync(policy(), '#!/bin/sh\nexit 101\n');
      expect(install('touch installed').status).toBe(0);
      expect(fs.existsSync(policy())).toBe(true);
    });
  });

  test.each([
    [
      'gets a daemon for it',
      '',
      'return 1',
      ['install systemd-timesyncd', 'restart systemd-timesyncd.service for its new settings', '2 changes'],
    ],
    ['keeps the one that its image brings', 'chrony', 'return 1', ['0 changes']],
    ['leaves it to the host, as a container', '', 'return 0', ['install systemd-timesyncd', '1 changes']],
  ])('the clock: a machine %s', (_, installed, isContainer, lines) => {
    const script = `. "${path.dirname(lib)}/roles/base.sh"
      is_installed() { [[ $1 == '${installed}' || -e $1 ]]; }
      install_packages() { touch $1; }
      systemd_runs() { true; }
      systemd-detect-virt() { ${isContainer}; }
      is_current() { [[ -e renewed ]]; }
      renew_unit() { touch renewed; }
      base_clock`;
    expect(bash(script).lines).toEqual(lines);
  });

  test('reports when the release in service differs from the files of the run', () => {
    const script = `. "${path.dirname(lib)}/roles/base.sh"
      home=$PWD/home source=$PWD/clone
      mkdir -p home/releases/first clone/{server,nginx,etl,db,scripts}
      touch clone/{ecosystem.config.js,package.json,package-lock.json}
      cp -r clone/. home/releases/first
      ln -s $home/releases/first home/current
      base_release
      mkdir clone/etl/__pycache__ clone/tests
      base_release
      echo new > clone/server/app.js
      base_release`;
    expect(bash(script).lines).toEqual([
      `note: ${folder}/home/releases/first serves, but ${folder}/clone has another release: to serve it, run npm run deploy (scripts/runbook/deploy.md)`,
      '0 changes',
    ]);
  });

  test("the modules of a node's first release are marked as those of a release", () => {
    const script = `. "${path.dirname(lib)}/roles/base.sh"
      home=$PWD/home source=$PWD/clone; mkdir -p clone home/node/bin home/releases
      printf '#!/bin/sh\nmkdir node_modules\n' > home/node/bin/npm; chmod 755 home/node/bin/npm
      install_release; ls -A home/current/node_modules`;
    expect(bash(script).lines).toEqual(['.release', '0 changes']);
  });

  test('an incomplete virtual environment is recreated, and a complete one is kept', () => {
    const script = `. "${path.dirname(lib)}/roles/base.sh"
      home=$PWD/home role=app source="${root}"
      python() { mkdir -p $home/venv/bin; printf '#!/bin/sh\n%s\n' "$1" > $home/venv/bin/python; chmod 755 $home/venv/bin/python; }
      python3() { echo "$*" >> made; python true; }
      mend_npm() { true; }`;
    const install = 'install_python_packages stamp; cat made; has_python_packages stamp';
    const made = `-m venv ${folder}/home/venv`;
    expect(bash(`${script}\npython '[ "$1" = -c ]'; touch $home/venv/half; ${install}; ls $home/venv`).lines).toEqual([
      made,
      'bin',
      '0 changes',
    ]);
    expect(bash(`${script}\n${install}`).lines).toEqual([made, '0 changes']);
  });

  test('a change that has no effect is an error', () => {
    const { status, stderr } = bash('make_so "please everybody" false true');
    expect(status).toBe(1);
    expect(stderr).toBe('node.sh: this step had no effect: please everybody');
  });

  test('a failed command stops the run with its output', () => {
    const { status, stderr } = bash("quietly sh -c 'echo no space left >&2; exit 3'\necho went on");
    expect(status).toBe(1);
    expect(stderr).toMatch(/no space left$/);
  });
});

describe('passwords', () => {
  const file = () => fs.readFileSync(path.join(folder, 'secrets.env'), 'utf8');

  test("are generated once on the database's node, in a file of mode 0600, and never printed", () => {
    const first = bash('use_secrets may-generate API_PASSWORD REDIS_PASSWORD');
    expect(file()).toMatch(/^API_PASSWORD=[0-9a-f]{48}\nREDIS_PASSWORD=[0-9a-f]{48}\n$/m);
    expect(fs.statSync(path.join(folder, 'secrets.env')).mode & 0o777).toBe(0o600);
    expect(first.lines.join('\n')).not.toMatch(/[0-9a-f]{48}/);
    const kept = file();
    expect(bash('use_secrets may-generate API_PASSWORD REDIS_PASSWORD').lines).toEqual(['0 changes']);
    expect(file()).toBe(kept);
  });

  test('come from the environment first, and only those of the role stay in the file', () => {
    bash('use_secrets may-generate API_PASSWORD REDIS_PASSWORD');
    bash('use_secrets must-exist API_PASSWORD', { API_PASSWORD: 'of-the-environment' });
    expect(file()).toMatch(/\nAPI_PASSWORD=of-the-environment\n$/);
    expect(file()).not.toMatch(/REDIS_PASSWORD/);
  });

  test('are not generated where another node has them', () => {
    const { status, stderr } = bash('use_secrets must-exist API_PASSWORD');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^node.sh: API_PASSWORD is in neither the environment nor .*copy that file/);
  });

  test.each(['1234', 'with a space in it!', "quote'quote'quote'"])('%j is refused', (password) => {
    const { status, stderr } = bash('use_secrets may-generate API_PASSWORD', {
      API_PASSWORD: password,
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/API_PASSWORD must have 16 or more/);
    expect(stderr).not.toContain(password);
  });
});
