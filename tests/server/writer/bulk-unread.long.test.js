'use strict';

const { once } = require('node:events');
const net = require('node:net');

const { linesIn } = require('../../helpers/bulk');
const { idOf, manyProducts } = require('../../helpers/database');
const { serveWriter } = require('../../helpers/writer');

const served = serveWriter(manyProducts(1000), { WRITE_RATE: 1_000_000 });
const LINES = 120_000;
/** So that they fit into no buffer of a kernel. */
const SPACES = ' '.repeat(300);
jest.setTimeout(240_000);

/** Sends all of a bulk before it reads anything. @param {string} key @param {(line: number) => string} lineOf @param {number} count */
async function sendFirst(key, lineOf, count) {
  const socket = net.connect(Number(served.app.writer.ports.http), '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  const head = `POST /bulk HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${served.key}\r\nIdempotency-Key: ${key}`;
  socket.write(`${head}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`);
  for (let line = 1; line <= count; line += 1000) {
    const text = Array.from({ length: 1000 }, (_, index) => `${lineOf(line + index)}\n`).join('');
    if (!socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)) await once(socket, 'drain');
  }
  socket.write('0\r\n\r\n');
  let text = '';
  socket
    .setEncoding('utf8')
    .on('data', (piece) => (text += piece))
    .resume();
  await once(socket, 'close');
  const body = text.slice(text.indexOf('\r\n\r\n') + 2, text.lastIndexOf('\r\n0\r\n'));
  return linesIn(body.replaceAll(/\r\n[0-9a-f]+\r\n/g, ''));
}

test('a client that sends 120,000 lines before it reads the first answer gets all of them', async () => {
  const lines = await sendFirst(
    'all',
    (line) => `{"op":"patch","id":${idOf((line % 1000) + 1)},"body":{}}${SPACES}`,
    LINES,
  );
  expect(lines.slice(0, -1).every(({ line, status }, index) => line === index + 1 && status === 200)).toBe(true);
  expect(lines.at(-1)).toMatchObject({ done: true, lines: LINES, failed: 0 });
});

test('one whose answers take more memory than is held for it is told to read, and ends', async () => {
  const before = process.memoryUsage().rss;
  const lines = await sendFirst('too-much', () => `{"op":${SPACES}`, LINES);
  const last = lines.at(-1);
  expect([last.status, last.problem.detail]).toEqual([503, expect.stringContaining('Read it while you send')]);
  expect(lines.slice(0, -1).map(({ line, status }) => [line, status])).toEqual(
    Array.from({ length: lines.length - 1 }, (_, index) => [index + 1, 400]),
  );
  expect(lines.length).toBeLessThan(LINES);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20); // of both sides
});
