'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { waitUntil } = require('../../../../scripts/lib/wait-until');
const { root } = require('../../../../scripts/lib/runtime');
const { useBackups } = require('../../../helpers/backups');
const { findPrograms } = require('../../../helpers/debian');
const { unless } = require('../../../helpers/skip');
const { writeStub } = require('../../../helpers/stub');

/* Off-site copies with the real restic, which derives a key in each call. */
jest.setTimeout(120_000);

const restic = findPrograms(['restic'], ['restic'])?.restic ?? '';
const { describe: withRestic } = unless(!restic && 'no restic here: apt-get install restic');

withRestic('with a repository', () => {
  const { backup, base, bin, made } = useBackups();
  const repository = path.join(base, 'mnt/offsite');
  const away = path.join(base, 'mnt/unmounted');
  const own = { RESTIC_REPOSITORY: repository, RESTIC_PASSWORD: 'practice-practice' };
  const tools = { PATH: `${bin}:${path.dirname(restic)}:${process.env.PATH}` };
  /** @type {NodeJS.ProcessEnv} as the unit gives it to a backup */
  let env;

  beforeAll(() => {
    fs.writeFileSync(path.join(base, 'secrets.yml'), 'api_password: x\n');
    writeStub(bin, 'restic', `exec "${restic}" "$@"`);
    writeStub(bin, 'setpriv', 'shift 5\nexec "$@"'); // the account of the test's files is the test's
  });
  beforeEach(() => {
    own.RESTIC_REPOSITORY = repository;
    for (const name of ['mnt', 'etc']) fs.rmSync(path.join(base, name), { recursive: true, force: true });
    for (const name of ['mnt', 'etc']) fs.mkdirSync(path.join(base, name));
    env = { ...own, CATALOG_SECRETS: path.join(base, 'secrets.yml') };
  });

  /** Runs the command of the play on a node. @param {string[]} others ids that other nodes know */
  function begin(...others) {
    const command = path.join(root, 'scripts/fleet/roles/db/files/catalog-offsite');
    const { status, stdout, stderr } = spawnSync('sh', [command, 'begin', ...others], {
      input: Object.entries(own)
        .map(([name, value]) => `${name}='${value}'\n`)
        .join(''),
      env: { ...tools, CATALOG_ETC: path.join(base, 'etc') },
      encoding: 'utf8',
    });
    return { status, id: stdout.trim(), stderr };
  }
  const ask = (/** @type {string[]} */ ...words) =>
    spawnSync(restic, ['--no-cache', ...words], { env: { ...tools, ...own }, encoding: 'utf8' }).stdout;
  const copies = () => JSON.parse(ask('snapshots', '--json')).length;
  /** A copy that is killed as it writes its lock leaves another file. */
  const locks = () => fs.readdirSync(path.join(repository, 'locks')).filter((name) => !name.includes('-tmp-'));

  /** A copy whose process is killed, so that its lock stays. @param {string[]} words before its command */
  async function killCopy(...words) {
    const [program, ...rest] = [...words, restic, '--no-cache', 'backup', '--stdin'];
    const child = spawn(program, rest, { env: { ...tools, ...own }, stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(child, 'close');
    expect(await waitUntil(() => locks().length > 0, 30_000)).toBe(true);
    child.kill('SIGKILL');
    await ended;
    expect(locks()).toHaveLength(1);
  }

  test('the play makes one where none was, and knows it again', () => {
    const first = begin();
    expect(first).toMatchObject({ status: 0, id: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(begin()).toEqual({ ...first, stderr: '' });
    fs.rmSync(path.join(base, 'etc/offsite.known')); // a new database server
    expect(begin()).toEqual({ ...first, stderr: '' });
  });

  test('the play makes none where one was, nor accepts another', () => {
    const { id } = begin();
    fs.renameSync(repository, away);
    expect(begin()).toMatchObject({ status: 1, stderr: expect.stringContaining('mount its disk') });
    expect(fs.existsSync(repository)).toBe(false);
    fs.rmSync(path.join(base, 'etc/offsite.known'));
    expect(begin(id)).toMatchObject({ status: 1, stderr: expect.stringContaining('mount its disk') }); // another node knows it
    fs.writeFileSync(path.join(base, 'etc/offsite.env'), `RESTIC_REPOSITORY='${repository}'\n`); // of an earlier release
    expect(begin()).toMatchObject({ status: 1, stderr: expect.stringContaining('mount its disk') });
    expect(fs.existsSync(repository)).toBe(false);
    ask('init');
    expect(begin(id)).toMatchObject({ status: 1, stderr: expect.stringContaining(`instead of ${id}`) });
    fs.rmSync(repository, { recursive: true });
    fs.renameSync(away, repository);
    expect(begin()).toMatchObject({ status: 0, id });
  });

  test.each([['/'], ['//'], ['', 'local:']])(
    'the play knows a repository by another spelling (%j)',
    (end, scheme = '') => {
      const { id } = begin();
      own.RESTIC_REPOSITORY = `${scheme}${repository}${end}`;
      fs.renameSync(repository, away);
      expect(begin()).toMatchObject({ status: 1, stderr: expect.stringContaining('mount its disk') });
      fs.renameSync(away, repository);
      expect(begin()).toMatchObject({ status: 0, id });
    },
  );

  test('the play names the next step when its first run was cut', () => {
    begin();
    fs.rmSync(path.join(base, 'etc/offsite.known'));
    fs.rmSync(path.join(repository, 'config')); // restic writes it last
    const { status, stderr } = begin();
    // Versions before 0.16 begin again with a second key, and may then not find the right one.
    expect(status === 0 ? `${copies()} copies` : stderr).toMatch(/^0 copies|an earlier try was cut, remove what/m);
  });

  test('a night without its disk copies nothing, makes no repository, and counts as missed', () => {
    env = { ...env, OFFSITE_ID: begin().id };
    fs.renameSync(repository, away);
    const { status, output } = backup(env);
    expect([status, output]).toEqual([
      1,
      expect.stringMatching(/is made, but not copied off the site: .* Mount its disk/),
    ]);
    expect(fs.existsSync(repository)).toBe(false);
    ask('init'); // an empty one, as earlier releases made it
    const other = backup(env);
    expect([other.status, other.output]).toEqual([1, expect.stringContaining('is not that of earlier copies')]);
    expect(copies()).toBe(0);
    fs.rmSync(repository, { recursive: true });
    fs.renameSync(away, repository);
    expect(backup(env)).toMatchObject({ status: 0 });
    expect(copies()).toBe(1);
    expect(ask('ls', 'latest')).toMatch(/secrets\.yml$/m);
  });

  test('a lock that a killed copy left keeps no later night from copying and removing', async () => {
    env = { ...env, OFFSITE_ID: begin().id };
    await killCopy();
    expect(backup(env)).toMatchObject({ status: 0 });
    expect([copies(), locks()]).toEqual([1, []]);
  });

  test('a fresh lock of another machine is left, and the message says that the copy is made', async () => {
    env = { ...env, OFFSITE_ID: begin().id };
    const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
    await killCopy('unshare', ...asRoot, '--uts', 'sh', '-c', 'hostname other && exec "$@"', 'sh');
    const { status, output } = backup(env);
    expect([status, output]).toEqual([
      1,
      expect.stringMatching(/is made and copied off the site, but no old copy was removed/),
    ]);
    expect([copies(), locks().length]).toEqual([1, 1]);
    expect(output).toContain(path.basename(made()));
  });
});
