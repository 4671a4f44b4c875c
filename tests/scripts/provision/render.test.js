'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../docs/sources');

const provision = path.join(root, 'scripts/provision');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'render-'));

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {string} file @param {Record<string, string>} values */
function render(file, values) {
  const words = [path.join(provision, 'render.sh'), file];
  const { status, stdout, stderr } = spawnSync('bash', words, {
    env: { PATH: process.env.PATH, ...values },
    encoding: 'utf8',
  });
  return { status, stdout, stderr: stderr.trim() };
}

/** @param {string} text @returns {string} its path */
function template(text) {
  const file = path.join(folder, 'template');
  fs.writeFileSync(file, text);
  return file;
}

describe('render.sh', () => {
  test('fills in values literally, whatever a shell or sed would do with them', () => {
    const password = '&\\1$HOME`id`{{OTHER}}"';
    expect(render(template('a {{PASSWORD}} b {{PASSWORD}}\n'), { PASSWORD: password }).stdout).toBe(
      `a ${password} b ${password}\n`,
    );
  });

  test('accepts an empty value only where the template allows it', () => {
    expect(render(template('url={{URL?}}\n'), { URL: '' }).stdout).toBe('url=\n');
    expect(render(template('url={{URL}}\n'), { URL: '' })).toEqual({
      status: 1,
      stdout: '',
      stderr: `render.sh: ${path.join(folder, 'template')} needs a value in URL, which is empty`,
    });
  });

  test('names a missing value and prints nothing else', () => {
    const { status, stdout, stderr } = render('worker.env', { NODE_ADDRESS: '10.0.0.31' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe('render.sh: worker.env needs ADMIN_ADDRESS in the environment');
  });

  test('refuses a value with a line break, braces that are not a placeholder, and an unknown file', () => {
    expect(render(template('{{A}}'), { A: 'x\nrequirepass y' }).stderr).toMatch(/control character/);
    expect(render(template('{{port}}'), {}).stderr).toMatch(/braces that are not a placeholder/);
    expect(render('absent.conf', {}).stderr).toBe('render.sh: there is no file absent.conf in scripts/provision/files');
  });
});

describe('sizes.sh', () => {
  /** @param {string} script @returns {string} what it prints, with the functions of the file */
  function sourced(script) {
    const words = ['-ceu', `. "$1"; ${script}`, 'sizes', path.join(provision, 'lib/sizes.sh')];
    return spawnSync('bash', words, { encoding: 'utf8' }).stdout;
  }
  /** @param {number} memoryMb @param {'own' | 'shared'} machine @returns {Record<string, string>} */
  function sizes(memoryMb, machine) {
    const both = `database_sizes ${memoryMb} 2 ${machine}; cache_sizes ${memoryMb} ${machine}; env`;
    const lines = sourced(both)
      .split('\n')
      .filter((line) => /^(PG|REDIS)_/.test(line));
    return Object.fromEntries(lines.map((line) => line.split('=')));
  }
  const megabytes = (/** @type {string} */ value) => Number(/^(\d+)mb$/i.exec(value)?.[1]);

  test.each([512, 2048, 8192, 262144])('the settings for %i MB fit into them', (memoryMb) => {
    for (const machine of /** @type {const} */ (['own', 'shared'])) {
      const { PG_SHARED_BUFFERS, PG_MAINTENANCE_WORK_MEM, REDIS_MAXMEMORY } = sizes(memoryMb, machine);
      // A load builds two indexes at once.
      const database = megabytes(PG_SHARED_BUFFERS) + 2 * megabytes(PG_MAINTENANCE_WORK_MEM);
      const cache = megabytes(REDIS_MAXMEMORY);
      const together = machine === 'shared' ? database + cache : Math.max(database, cache);
      expect(together).toBeGreaterThan(0);
      expect(together).toBeLessThanOrEqual(memoryMb * 0.75);
    }
  });

  const memoryOf = (/** @type {number} */ kilobytes) => {
    const file = path.join(folder, 'meminfo');
    fs.writeFileSync(file, `MemTotal: ${kilobytes} kB\nMemFree: 1 kB\n`);
    return Number(sourced(`memory_mb ${file}`));
  };

  test('a few MB more or less for the kernel change no setting', () => {
    expect(memoryOf(7950 * 1024)).toBe(memoryOf(7939 * 1024));
    expect([7950, 1990, 480].map((mb) => memoryOf(mb * 1024))).toEqual([7936, 1984, 448]);
  });

  test('a server gets more memory on its own machine than on a shared one', () => {
    const own = sizes(8192, 'own');
    const shared = sizes(8192, 'shared');
    for (const name of ['PG_SHARED_BUFFERS', 'REDIS_MAXMEMORY'])
      expect(megabytes(own[name])).toBeGreaterThan(megabytes(shared[name]));
  });
});
