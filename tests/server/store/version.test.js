'use strict';

const { Client } = require('pg');

const { loadConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');
const { Dialer } = require('../../../server/store/dialer');
const { listen, serverStatus } = require('../../../server/store/queries');
const { DataVersion } = require('../../../server/store/servers/data-version');
const { ServerWatcher } = require('../../../server/store/servers/watcher');
const { until } = require('../../helpers/app');

/** Columns of server_status.sql. */
const emptyLog = { era: 1, seq: '0', listed_seq: '0', counted_seq: '0', is_written: false };

/** A database that is played. @param {(sent: any) => Promise<any>} answer */
function play(answer) {
  jest.spyOn(Client.prototype, 'connect').mockImplementation(async () => {});
  jest.spyOn(Client.prototype, 'end').mockImplementation(async () => {});
  return jest.spyOn(Client.prototype, 'query').mockImplementation(answer);
}

describe('the data version', () => {
  afterEach(() => jest.restoreAllMocks());

  /** A watcher of a database that is played. @param {(sent: any) => Promise<any>} answer @param {Record<string, string>} [settings] */
  function watch(answer, settings = {}) {
    const query = play(answer);
    const config = loadConfig({
      DATABASE_URL: 'postgres://x@/x',
      VERSION_POLL_MS: '5',
      ...settings,
    });
    const events = createEvents();
    /** @type {Record<string, any[][]>} */
    const told = { databaseLost: [], versionUnread: [] };
    events.on('databaseLost', (...words) => told.databaseLost.push(words));
    events.on('versionUnread', (...words) => told.versionUnread.push(words));
    const silent = jest.fn();
    const watcher = new ServerWatcher({ config, events, dialer: new Dialer(events), silent, silentMs: 1500 });
    const version = new DataVersion(events, [watcher]);
    watcher.open();
    return { watcher, version, query, told, silent };
  }
  const row = { token: '1-100', recovering: false, timeline: 1, lag_ms: '0', ...emptyLog };
  const token = async () => ({ rows: [row] });
  const texts = (/** @type {jest.SpyInstance} */ query) => query.mock.calls.map(([sent]) => sent);

  test('is queried behind a pooler without a statement name, which would prepare it', async () => {
    const { watcher, version, query } = watch(token, { PG_POOLED: 'true' });
    await until(() => query.mock.calls.length > 2);
    await watcher.close();
    expect(version.current).toBe('1-100');
    expect(new Set(texts(query))).toEqual(new Set([serverStatus.text]));
  });

  test('that cannot be read stays in force, is reported, and loses no connection', async () => {
    let denied = false;
    const { watcher, version, told, silent } = watch(async () => {
      if (denied) throw new Error('permission denied');
      return token();
    });
    await until(() => version.live);
    denied = true;
    await until(() => told.versionUnread.length > 1);
    expect([version.current, version.live]).toEqual(['1-100', false]);
    denied = false;
    await until(() => version.live);
    await watcher.close();
    expect(told.versionUnread[0]).toEqual(['version', expect.objectContaining({ message: 'permission denied' }), '']);
    expect(told.databaseLost).toEqual([]);
    expect(silent).not.toHaveBeenCalled();
  });

  test('arrives by LISTEN from the first connection, and from a replica once it is promoted', async () => {
    let recovering = true;
    const { watcher, version, query, told } = watch(async (sent) => {
      if (sent !== listen.text) return { rows: [{ ...row, recovering }] };
      if (recovering) throw Object.assign(new Error('cannot execute LISTEN during recovery'), { code: '25006' });
      return { rows: [] };
    });
    await until(() => version.live);
    expect(texts(query)[0]).toBe(listen.text);
    recovering = false;
    await until(() => texts(query).filter((sent) => sent === listen.text).length === 2);
    const seen = query.mock.calls.length;
    await until(() => query.mock.calls.length > seen + 2);
    await watcher.close();
    expect(texts(query).filter((sent) => sent === listen.text).length).toBe(2);
    expect(told.versionUnread).toEqual([]);
  });
});

test('the last status of a silent server is kept for twelve polls', async () => {
  const row = { token: '2-200', recovering: false, timeline: 1, lag_ms: '0', ...emptyLog };
  let silent = false;
  play(async () => {
    if (silent) throw new Error('Query read timeout');
    return { rows: [row] };
  });
  const timers = jest.spyOn(global, 'setInterval');
  const events = createEvents();
  const pollMs = 600_000; // longer than the test
  const config = loadConfig({ DATABASE_URL: 'postgres://x@/x', VERSION_POLL_MS: String(pollMs) });
  const watcher = new ServerWatcher({ config, events, dialer: new Dialer(events), silent: () => {}, silentMs: 500 });
  watcher.open();
  const poll = timers.mock.calls.find(([, ms]) => ms === pollMs)?.[0];
  await until(() => watcher.status !== null);
  silent = true;
  poll?.();
  await until(() => watcher.status === null);
  for (let polls = 0; polls < 11; polls += 1) poll?.();
  expect(watcher.known?.token).toBe('2-200');
  poll?.();
  expect(watcher.known).toBeNull();
  await watcher.close();
  jest.restoreAllMocks();
});
