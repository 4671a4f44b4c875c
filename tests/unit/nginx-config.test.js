'use strict';
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { problems } = require('../../nginx/problems');
const { renderNginx } = require('../../nginx/render');
const { binaries } = require('../../scripts/lib/runtime');

const run = promisify(execFile);
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'nginx-config-'));
afterAll(() => fs.rmSync(base, { recursive: true }));

/** @param {string} folder */
function settings(folder) {
  const work = path.join(base, folder);
  fs.mkdirSync(work, { recursive: true });
  const workers = ['127.0.0.1:3030', '127.0.0.1:3031'];
  return { port: 8080, workers, work, logs: work, openFiles: 1024 };
}

/** @param {string} text @param {string} work */
async function check(text, work) {
  const file = path.join(work, 'nginx.conf');
  fs.writeFileSync(file, text);
  const words = ['-t', '-p', `${work}/`, '-e', path.join(work, 'error.log'), '-c', file];
  return (await run(binaries().nginx, words)).stderr;
}

test.each(['plain', 'with space'])(
  'nginx -t accepts the configuration in a folder named "%s"',
  async (folder) => {
    const given = settings(folder);
    expect(await check(renderNginx(given), given.work)).toContain('test is successful');
  },
);

test('nginx -t refuses a broken one, so that the test above means something', async () => {
  const given = settings('broken');
  const broken = renderNginx(given).replace('least_conn;', 'least_con;');
  await expect(check(broken, given.work)).rejects.toThrow('unknown directive "least_con"');
});

test('one bad request can never eject a worker: every server has max_fails=0', () => {
  const servers = renderNginx(settings('servers')).match(/^\s*server 127.*$/gm) ?? [];
  expect(servers).toHaveLength(2);
  for (const server of servers) expect(server).toContain('max_fails=0');
});

test('nothing of the template is left unfilled', () => {
  expect(renderNginx(settings('filled'))).not.toMatch(/\{\{|undefined/);
});

test('a folder that nginx cannot quote is refused with the option that moves it', () => {
  const given = { ...settings('quote'), work: '/tmp/a"b' };
  expect(() => renderNginx(given)).toThrow('--state DIR');
});

test('each code that nginx answers itself has one problem document', () => {
  const codes = problems.flatMap(({ on }) => on);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes).toEqual(
    expect.arrayContaining([400, 404, 405, 408, 413, 414, 494, 500, 502, 503, 504]),
  );
});
