'use strict';

const { Client } = require('pg');

const { loadConfig } = require('../../server/config/config');
const { EVENTS, createEvents } = require('../../server/events');
const { Dialer } = require('../../server/store/dialer');
const { dataVersion } = require('../../server/store/queries');
const { ServerWatcher } = require('../../server/store/servers/server-watcher');
const { VersionWatcher } = require('../../server/store/servers/version-watcher');
const { until } = require('../helpers/app');

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
    const told = { [EVENTS.databaseLost]: [], [EVENTS.versionUnread]: [] };
    for (const name of Object.keys(told)) events.on(name, (...words) => told[name].push(words));
    const watcher = new VersionWatcher({ config, events, dialer: new Dialer(events), silent: () => {} });
    watcher.open();
    return { watcher, query, told };
  }
  const token = async () => ({ rows: [{ token: '1-100' }] });

  test('is asked behind a pooler by text alone: a name would make a prepared statement of it', async () => {
    const { watcher, query } = watch(token, { PG_POOLED: 'true' });
    await until(() => query.mock.calls.length > 2);
    await watcher.close();
    expect(watcher.current).toBe('1-100');
    expect(new Set(query.mock.calls.map(([sent]) => sent))).toEqual(new Set([dataVersion.text]));
  });

  test('that cannot be read stays, is told as such, and is no lost connection', async () => {
    let denied = false;
    const { watcher, told } = watch(async () => {
      if (denied) throw new Error('permission denied');
      return token();
    });
    await until(() => watcher.live);
    denied = true;
    await until(() => told.versionUnread.length > 1);
    expect([watcher.current, watcher.live]).toEqual(['1-100', false]);
    denied = false;
    await until(() => watcher.live);
    await watcher.close();
    expect(told.versionUnread[0]).toEqual(['version', expect.objectContaining({ message: 'permission denied' })]);
    expect(told.databaseLost).toEqual([]);
  });
});

test('what a server of two said last is known for twelve polls of its silence', async () => {
  const row = { token: '2-200', recovering: false, timeline: 1, lag_ms: '0' };
  let silent = false;
  play(async () => {
    if (silent) throw new Error('Query read timeout');
    return { rows: [row] };
  });
  const timers = jest.spyOn(global, 'setInterval');
  const events = createEvents();
  const pollMs = 600_000; // never by itself
  const config = loadConfig({ DATABASE_URL: 'postgres://x@/x', VERSION_POLL_MS: String(pollMs) });
  const [changed, said] = [() => {}, () => {}];
  const watcher = new ServerWatcher({ config, events, dialer: new Dialer(events), changed, silent: said, prefix: '' });
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
