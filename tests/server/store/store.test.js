'use strict';

const { serialize } = require('pg-protocol/dist/serializer');

const { createEvents } = require('../../../server/core/events');
const { loadConfig } = require('../../../server/config/config');
const { bindAndRun } = require('../../../server/internals/pg/bind-message');
const { BytesParser } = require('../../../server/internals/pg/bytes-client');
const { connectionOptions } = require('../../../server/store/connection-options');
const { Dialer } = require('../../../server/store/dialer');
const { diagnose } = require('../../../server/store/failures');
const { Lane } = require('../../../server/store/lane');
const { forClient, renew } = require('../../../server/internals/pg/statement');

const parts = { name: 'short', events: createEvents(), comment: () => '' };

/** @param {string} code @param {Buffer} content @returns {Buffer} one message of the server */
function message(code, content) {
  const head = Buffer.alloc(5);
  head.write(code);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** @param {(string | null)[]} fields */
function dataRow(fields) {
  const parts = fields.flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(field === null ? -1 : Buffer.byteLength(field));
    return field === null ? [length] : [length, Buffer.from(field)];
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(fields.length);
  return message('D', Buffer.concat([count, ...parts]));
}

describe('protocol parser', () => {
  const stream = Buffer.concat([
    message('2', Buffer.alloc(0)),
    dataRow(['ü'.repeat(50), null, '', 't']),
    message('C', Buffer.from('SELECT 1\0')),
    message('Z', Buffer.from('I')),
    message('2', Buffer.alloc(0)),
    message('C', Buffer.from('SELECT 0\0')),
    message('Z', Buffer.from('I')),
  ]);
  const names = 'bindComplete dataRow commandComplete readyForQuery'.split(' ');

  test.each([1, 2, 3, 4, 5, 6, 7, 11, 64, 1000])('parses replies that arrive in pieces of %d bytes', (size) => {
    const parser = new BytesParser();
    /** @type {any[]} */
    const seen = [];
    for (let at = 0; at < stream.length; at += size)
      parser.parse(stream.subarray(at, at + size), (each) => seen.push(each));
    expect(seen.map(({ name }) => name)).toEqual([...names, names[0], names[2], names[3]]);
    const [text, missing, empty, flag] = seen[1].fields;
    expect([String(text), missing, String(empty), String(flag)]).toEqual(['ü'.repeat(50), null, '', 't']);
  });
});

describe('statement messages', () => {
  test.each([
    ['product', [1]],
    ['page', [2147483647, 63, 20000]],
    ['pageBlocks', []],
    ['long', ['x'.repeat(300), '1'.repeat(60_000)]],
    ['longer', ['x'.repeat(70_000), '1'.repeat(65_536)]],
  ])('for %s have the bytes that pg would send', (name, values) => {
    const bind = serialize.bind({ statement: name, values, valueMapper: String });
    const messages = Buffer.concat([bind, serialize.execute(), serialize.sync()]);
    expect(Buffer.from(bindAndRun(name, values), 'latin1').equals(messages)).toBe(true);
  });
});

describe('database failures', () => {
  const error = (/** @type {string} */ code, message_ = 'x') => Object.assign(new Error(message_), { code });

  test.each([
    ['57P01', 'drop', true],
    ['57P03', 'drop', true],
    ['57P04', 'drop', true],
    ['57P05', 'drop', true],
    ['25P03', 'drop', true],
    ['08006', 'drop', true],
    ['ECONNRESET', 'drop', true],
    ['ERR_SSL_BAD_RECORD_TYPE', 'drop', true],
    ['0A000', 'stale', true],
    ['26000', 'stale', true],
    ['57014', 'neither', false],
    ['25P04', 'neither', false],
    ['55P03', 'neither', false],
    ['40001', 'neither', false],
    ['40P01', 'neither', false],
    ['58030', 'neither', false],
    ['58P01', 'neither', false],
    ['42P01', 'neither', false],
    ['53200', 'neither', false],
  ])('%s is a 503; the connection or the statement is replaced: %s, try again: %s', (code, what, retry) => {
    const found = diagnose(error(code), true);
    expect(found).toMatchObject({ retry, error: { status: 503 } });
    expect([found.drop, found.stale]).toEqual([what === 'drop' || undefined, what === 'stale' || undefined]);
  });

  test.each([
    ['is not there because the query that should prepare it failed', '26000', false, undefined],
    ['was prepared twice', '42P05', true, undefined],
    ['belongs to another client', '42P05', false, true],
  ])('a statement that %s is at worst a 503', (_, code, prepared, stale) => {
    const found = diagnose(error(code), prepared);
    expect([found.retry, found.drop, found.stale]).toEqual([true, undefined, stale]);
  });

  test('a Problem stays the same Problem', () => {
    const mistake = error('42703');
    expect(diagnose(mistake, true)).toEqual({ retry: false, error: mistake });
  });

  test('a lane without a connection answers 503 at once', async () => {
    const lane = new Lane({ ...parts, connections: [], maxWork: 1, queryTimeoutMs: 1000 });
    await expect(lane.row({ name: 'x', text: '' }, [])).rejects.toMatchObject({ status: 503 });
  });

  test.each([
    ['one more of many alike', 5, 1, 503],
    ['a long page behind others', 3, 9, 503],
    ['a page that still has room', 3, 2, 200],
    ['a page of any length behind nothing', 0, 9, 200],
  ])('a lane for 5: %s', async (_, waiting, work, status) => {
    const connection = { stream: { cork() {}, uncork() {} } };
    const query = (/** @type {any} */ { callback }) => callback(null, ['row']);
    const client = { connection, query };
    const held = /** @type {any} */ ({ client, inFlight: 0, work: waiting });
    const lane = new Lane({ ...parts, connections: [held], maxWork: 5, queryTimeoutMs: 1000 });
    const answer = lane.row({ name: 'x', text: '' }, [], work).then(() => ({ status: 200 }));
    expect(await answer.catch((error) => error)).toMatchObject({ status });
    expect(held).toMatchObject({ inFlight: 0, work: waiting });
  });

  test('a lane gives a query to the connection with the least to do', async () => {
    const asked = /** @type {number[]} */ ([]);
    const connections = [3, 1, 2].map((work) => {
      const connection = { stream: { cork() {}, uncork() {} } };
      const query = (/** @type {any} */ { callback }) => callback(null, asked.push(work));
      return /** @type {any} */ ({ client: { connection, query }, inFlight: 0, work });
    });
    const lane = new Lane({ ...parts, connections, maxWork: 5, queryTimeoutMs: 1000 });
    await lane.row({ name: 'x', text: '' }, []);
    expect(asked).toEqual([1]);
  });

  test('a query that fails on each connection is not repeated forever', async () => {
    let sent = 0;
    const connections = [1, 2].map(() => {
      const connection = { stream: { cork() {}, uncork() {} }, parsedStatements: {} };
      const query = (/** @type {any} */ { callback }) => {
        sent += 1;
        callback(error('ECONNRESET'));
      };
      return /** @type {any} */ ({ client: { connection, query }, drop() {}, inFlight: 0, work: 0 });
    });
    const lane = new Lane({ ...parts, connections, maxWork: 5, queryTimeoutMs: 1000 });
    await expect(lane.row({ name: 'x', text: '' }, [])).rejects.toMatchObject({ status: 503 });
    expect(sent).toBe(connections.length + 1);
  });

  test('a stale statement of many queries is prepared again once, also for a late one', () => {
    const client = /** @type {any} */ ({});
    const statement = { name: 'x', text: '' };
    renew(client, statement, statement);
    const second = forClient(client, statement);
    renew(client, statement, second);
    const third = forClient(client, statement);
    renew(client, statement, statement);
    expect([second.name, third.name, forClient(client, statement).name]).toEqual(['x+', 'x++', 'x++']);
  });
});

describe('database connections', () => {
  test('every timeout of pg is set, and the server stops a query before the worker gives up', () => {
    const config = loadConfig({ DATABASE_URL: 'postgres://x' });
    for (const lane of /** @type {const} */ (['short', 'bulk', 'version'])) {
      const options = connectionOptions(config, lane);
      const { lock_timeout: lockMs = NaN, statement_timeout: statementMs = NaN } = options;
      expect(statementMs).toBeLessThan(options.query_timeout);
      expect(lockMs).toBeLessThan(statementMs);
      expect(options.connectionTimeoutMillis).toBeGreaterThan(0);
      expect(options.keepAlive).toBe(true);
    }
  });

  test('while the database refuses, a worker tries once a second for all its connections', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const dialer = new Dialer(createEvents());
    dialer.pause = (delayMs) => new Promise((resolve) => void setTimeout(resolve, delayMs));
    let attempts = 0;
    const refuse = async () => {
      attempts += 1;
      throw new Error('refused');
    };
    for (let connection = 0; connection < 4; connection += 1) dialer.dial(refuse);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(attempts).toBeGreaterThanOrEqual(7);
    expect(attempts).toBeLessThanOrEqual(11);
    dialer.close();
    await jest.advanceTimersByTimeAsync(2000);
    jest.useRealTimers();
  });
});
