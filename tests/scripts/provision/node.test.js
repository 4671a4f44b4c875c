'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { read, root } = require('../../docs/sources');
const { unless } = require('../../helpers/skip');
const { writeStub } = require('../../helpers/stub');

const folder = path.join(root, 'scripts/provision');

/** @param {string} script of the folder @param {string[]} words @param {Record<string, string>} [env] */
function run(script, words, env) {
  const { status, stdout, stderr } = spawnSync('bash', [path.resolve(folder, script), ...words], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, stdout, stderr: stderr.trim() };
}

/** @param {string[]} words role, option and value @param {string} why @returns {[string[], string]} */
const refusal = (words, why) => [['--role', ...words], `${words[1]} ${words[2]}: ${why}`];

describe('node.sh', () => {
  test.each([
    [['--role', 'web'], '--role web: must be db, cache, app, lb or all'],
    [['--dry-run'], '--role is missing'],
    [['--role'], '--role needs a value'],
    [['--role', 'db', '--adress', '10.0.0.1'], 'unknown option --adress'],
    [['--role', 'app', '--address', '10.0.0.1'], '--role app needs --database'],
    [
      ['--dry-run', '--role', 'cache', '--address', 'fd00::1'],
      '--address fd00::1: IPv6 is not supported; give an IPv4 address',
    ],
    [
      ['--dry-run', '--role', 'lb', '--upstreams', '[fd00::1]:3030'],
      '--upstreams [fd00::1]:3030: IPv6 is not supported; give an IPv4 address',
    ],
    ...['10.0.0.0', '10.0.0.0/33', '10.0.0/24', '10.0.0.0/24,10.0.1.0/24'].map((network) =>
      refusal(['db', '--network', network], 'must be one network such as 10.0.0.0/24'),
    ),
    refusal(['cache', '--address', '10.0.0.256'], 'must be an IPv4 address'),
    refusal(['app', '--database', 'db-1'], 'must be an IPv4 address'),
    [['--role', 'all', '--workers', '0'], '--workers 0: must be a whole number from 1 to 999'],
    refusal(['all', '--workers', 'x'], 'must be a whole number from 1 to 999'),
    ...['443', '65536'].map((port) => refusal(['all', '--port', port], 'must be a port other than 443, which has TLS')),
    [['--role', 'all', '--max-connections', '5'], '--max-connections 5: must be a whole number from 10 to 9999'],
    [['--role', 'all', '--rate-limit', '10/s'], '--rate-limit 10/s: must be a whole number of requests a second, or 0'],
  ])('refuses %j in one line with exit status 2', (words, message) => {
    // A dry run, or a missing guard would turn the machine that tests into a node.
    const { status, stderr } = run('node.sh', ['--dry-run', ...words]);
    expect([status, stderr]).toEqual([2, `node.sh: ${message}; node.sh --help shows the options`]);
  });

  test('checks CATALOG_RATE_LIMIT as it checks the option', () => {
    const { status, stderr } = run('node.sh', ['--role', 'all'], { CATALOG_RATE_LIMIT: '-5' });
    expect([status, stderr.split(':')[1]]).toEqual([2, ' --rate-limit -5']);
  });

  const supported = /^ID=debian\nVERSION_ID="12"|^ID=ubuntu\n[\s\S]*VERSION_ID="24.04"/m;
  const osRelease = ['ID', 'VERSION_ID']
    .map((name) => new RegExp(`^${name}=.*$`, 'm').exec(fs.readFileSync('/etc/os-release', 'utf8'))?.[0])
    .join('\n');
  const here = supported.test(osRelease) && process.getuid?.() === 0;

  describe('on a node that was made before', () => {
    const etc = fs.mkdtempSync(path.join(os.tmpdir(), 'node-'));
    const script = path.join(etc, 'node.sh');
    const text = read('scripts/provision/node.sh').replaceAll('/etc/catalog', etc);
    fs.writeFileSync(script, text);
    for (const name of ['lib', 'roles']) fs.symlinkSync(path.join(folder, name), `${etc}/${name}`);
    fs.writeFileSync(path.join(etc, 'node.options'), '--role\nall\n--rate-limit\n-5\n--rate-limit\n-1\n');
    afterAll(() => fs.rmSync(etc, { recursive: true }));

    test('the option overrides CATALOG_RATE_LIMIT, and that the last run, so no limit is lifted silently', () => {
      const taken = (/** @type {string[]} */ words, /** @type {string} */ variable) =>
        run(script, ['--dry-run', ...words], { CATALOG_RATE_LIMIT: variable }).stderr.split(':')[1];
      expect(taken(['--role', 'all', '--rate-limit', '-3'], '-2')).toBe(' --rate-limit -3');
      expect(taken([], '-2')).toBe(' --rate-limit -2');
      expect(taken([], '')).toBe(' --rate-limit -1');
      expect(taken(['--role', 'all', '--port', '81'], '')).toBe(' --rate-limit -1');
      expect(taken(['--rate-limit', '-3'], '-2')).toBe(' --rate-limit -3');
    });

    test('an option of an older release is reported with its file, unless all options are given again', () => {
      const kept = path.join(etc, 'older', 'node.options');
      fs.mkdirSync(path.dirname(kept));
      fs.writeFileSync(kept, '--role\nall\n--fleet-workers\n8\n');
      const older = path.join(etc, 'older.sh');
      fs.writeFileSync(older, text.replaceAll(etc, path.dirname(kept)));
      const told = (/** @type {string[]} */ ...words) => run(older, ['--dry-run', ...words]).stderr;
      expect(told()).toContain(`unknown option --fleet-workers, in ${kept}: remove its two lines`);
      expect(told('--role', 'all', '--port', '-1')).toContain('--port -1: must be a port');
      expect(told('--adress')).toMatch(/unknown option --adress;/);
    });

    describe.each(['db', 'cache', 'app', 'lb', 'all'])('with the role %s', (own) => {
      const kept = path.join(etc, own);
      const copy = path.join(etc, `${own}.sh`);
      const options = '--address 10.0.0.9 --network 10.0.0.0/24 --database 10.0.0.9 --upstreams 10.0.0.9:3030'.split(
        ' ',
      );
      beforeAll(() => {
        fs.mkdirSync(kept);
        fs.writeFileSync(path.join(kept, 'node.options'), `--role\n${own}\n--address\n10.0.0.9\n`);
        fs.writeFileSync(copy, text.replaceAll(etc, kept));
      });
      const become = (/** @type {string[]} */ ...words) => run(copy, [...words, ...options]);

      const others = ['db', 'cache', 'app', 'lb', 'all'].filter((role) => role !== own);
      test.each(others)('refuses to become %s before it changes anything', (role) => {
        const { status, stderr } = become('--dry-run', '--role', role);
        expect([status, stderr]).toEqual([
          2,
          expect.stringContaining(`node.sh: this machine has the role ${own}, and`),
        ]);
        expect(stderr).toContain(
          `run this with --role ${role} on another machine, or without --role to renew this one`,
        );
      });

      test('keeps its own role, with or without the option', () => {
        for (const words of [['--role', own], []])
          expect(become('--dry-run', '--port', '-1', ...words).stderr).toContain('node.sh: --port -1: must be a port');
      });
    });

    unless(!here && 'needs root on Debian 12 or Ubuntu 24.04').test(
      'an interrupted first run has set the role: the same role resumes, and another is refused',
      () => {
        const [kept, copy] = [path.join(etc, 'cut-off'), path.join(etc, 'cut-off.sh')];
        fs.mkdirSync(kept);
        const stubs = `role_secrets() { :; }; role_base() { exit 9; }; ensure_file() { printf '%s\\n' "$4" >"$1"; }`;
        fs.writeFileSync(copy, text.replaceAll(etc, kept).replace(/^main "\$@"$/m, `${stubs}\nmain "$@"`));
        const statusOf = (/** @type {string[]} */ ...words) => run(copy, words).status;
        expect(statusOf('--role', 'all')).toBe(9);
        expect(fs.readFileSync(path.join(kept, 'node.options'), 'utf8')).toMatch(/^--role\nall\n/);
        expect([statusOf(), statusOf('--role', 'all')]).toEqual([9, 9]);
        expect(statusOf('--role', 'cache', '--address', '10.0.0.9')).toBe(2);
      },
    );

    test.each([
      ['--rate-limit 100 --port 81', '--role all --rate-limit 100 --port 81'],
      ['--role lb --port 81', '--role lb --port 81 --rate-limit -1'],
      ['', '--role all --rate-limit -1'],
    ])('"%s" is kept as "%s"', (words, kept) => {
      const show = `take_options ${words}\nwithout_repeats "\${words[@]}"`;
      fs.writeFileSync(path.join(etc, 'show.sh'), text.replace(/^main "\$@"$/m, show));
      const { stdout } = run(path.join(etc, 'show.sh'), []);
      expect(stdout.trim().split('\n').join(' ')).toBe(kept);
    });
  });

  unless(!here && 'needs root on Debian 12 or Ubuntu 24.04').test('a dry run prints every step and makes none', () => {
    const before = fs.existsSync('/etc/catalog');
    const { status, stdout } = run('node.sh', ['--role', 'all', '--dry-run']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^all: [1-9][0-9]* changes would be made$/m);
    expect(fs.existsSync('/etc/catalog')).toBe(before);
  });
});

test('nginx of a node limits each client only if CATALOG_RATE_LIMIT is set', () => {
  const render = (/** @type {Record<string, string>} */ env) =>
    spawnSync(process.execPath, [path.join(folder, 'nginx.js'), 'lb', '80'], {
      encoding: 'utf8',
      env,
    }).stdout;
  expect(render({ CATALOG_RATE_LIMIT: '50' })).toMatch(/limit_req_zone .* rate=50r\/s;/);
  expect(render({})).toContain('server {');
  expect(render({})).not.toContain('limit_req');
});

describe('the files of a node', () => {
  const files = fs.readdirSync(path.join(folder, 'files'));
  const scripts = [
    'node.sh',
    'cloud-init.sh',
    ...fs.readdirSync(path.join(folder, 'roles')).map((file) => `roles/${file}`),
  ];
  const code = scripts.map((file) => read(`scripts/provision/${file}`)).join('\n');

  test.each(files)('%s is used by a role, which sets each of its values', (file) => {
    expect(code).toMatch(new RegExp(`(?<![\\w.-])${file.replaceAll('.', '\\.')}(?![\\w-])`));
    const names = [...read(`scripts/provision/files/${file}`).matchAll(/\{\{(\w+)\??\}\}/g)].map((match) => match[1]);
    const set = `${code}\n${read('scripts/provision/lib/sizes.sh')}`;
    const passwords = /_PASSWORD$/; // by use_secrets
    expect(names.filter((name) => !passwords.test(name) && !new RegExp(`\\b${name}=`).test(set))).toEqual([]);
  });

  test('logs with a maximum size are checked every hour and compressed at once', () => {
    const timer = read('scripts/provision/files/logrotate-hourly.conf');
    expect(timer).toMatch(/^OnCalendar=\nOnCalendar=hourly$/m);
    const nginx = read('scripts/provision/files/logrotate-nginx');
    expect(nginx).toMatch(/^ +maxsize \d+M$/m);
    expect(nginx).toMatch(/^ +compress$/m);
    expect(nginx).not.toContain('delaycompress');
  });

  test('a role makes every folder that a sandboxed unit may write to', () => {
    const units = files.filter((file) => file.endsWith('.service'));
    const writable = units.flatMap((file) =>
      [...read(`scripts/provision/files/${file}`).matchAll(/^ReadWritePaths=(.*)$/gm)].flatMap((match) =>
        match[1].split(' '),
      ),
    );
    expect(writable.length).toBeGreaterThan(3);
    expect(writable.filter((dir) => !code.includes(`ensure_directory ${dir} `))).toEqual([]);
  });
});

describe('nginx of a balancer', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'nginx-'));
  afterAll(() => fs.rmSync(dir, { recursive: true }));

  test.each([
    ['1.22.1', false],
    ['1.27.3', false],
    ['1.27.4', true],
    ['2.0.0', true],
  ])('%s keeps idle connections over a reload: %s', (version, keeps) => {
    writeStub(dir, 'nginx', `echo "nginx version: nginx/${version}" >&2`);
    const { stdout } = spawnSync(process.execPath, [path.join(folder, 'nginx.js'), 'lb', '80'], {
      env: { PATH: `${dir}:/usr/bin:/bin` },
      encoding: 'utf8',
    });
    expect(stdout).toContain('listen 80');
    expect(stdout.includes('keepalive_min_timeout')).toBe(keeps);
    // A deploy brings another release below the nginx.conf of the last "catalog-node".
    expect(stdout.match(/include ".*/g)).toEqual(['include "/etc/catalog/upstreams.conf";']);
  });
});

describe('cloud-init.sh', () => {
  const commit = 'a'.repeat(40);
  const words = ['--repository', 'https://git.example/catalog.git', '--commit', commit];

  test('shows its options, also without arguments', () => {
    const { status, stdout } = run('cloud-init.sh', ['--help']);
    expect(status).toBe(0);
    for (const option of ['repository', 'commit', 'secrets-from'])
      expect(stdout).toMatch(new RegExp(`^  --${option} `, 'm'));
  });

  test('prints user data that checks out one commit and makes the node', () => {
    const { status, stdout } = run('cloud-init.sh', [
      ...words,
      '--',
      '--role',
      'app',
      '--address',
      '10.0.0.34',
      '--database',
      '10.0.0.20',
    ]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^#cloud-config\n/);
    expect(stdout).toContain(`checkout -q ${commit}\n`);
    expect(stdout).toMatch(/node\.sh --role app --address 10\.0\.0\.34 --database 10\.0\.0\.20$/m);
    expect(Buffer.byteLength(stdout)).toBeLessThan(16 * 1024);
  });

  test.each([
    [['--repository', 'https://git.example/x', '--commit', 'main', '--', '--role', 'lb'], /must be the 40 digits/],
    [[...words, '--', '--address', '10.0.0.1'], /lack --role/],
    [[...words], /options of node.sh are missing/],
    [[...words, '--secrets-from', 'echo "API_PASSWORD=x"', '--', '--role', 'lb'], /SECRETS_FROM .* has a character/],
  ])('refuses %j', (all, message) => {
    const { status, stdout, stderr } = run('cloud-init.sh', all);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
