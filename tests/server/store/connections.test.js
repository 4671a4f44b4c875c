'use strict';

const { Client } = require('pg');

const { loadConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');
const { closeAll, openAll } = require('../../../server/core/lifecycle');
const { checkConnections } = require('../../../server/store/connection-budget');
const { createStore } = require('../../../server/store/servers/create-store');
const { Dialer } = require('../../../server/store/dialer');
const { until } = require('../../helpers/app');

const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));

describe('a worker that gets fewer connections than it wants', () => {
  afterEach(() => jest.restoreAllMocks());

  /** Servers that are played, with so many places each. A pause lasts a turn of the event loop. */
  function play() {
    const servers = { places: 0, taken: /** @type {any[]} */ ([]), refused: 0 };
    jest.spyOn(Dialer.prototype, 'pause').mockImplementation(async () => void (await nextTurn()));
    jest.spyOn(Client.prototype, 'connect').mockImplementation(
      /** @this {Client} */ async function connect() {
        const { host } = this;
        if (servers.taken.filter((client) => client.host === host).length < servers.places) servers.taken.push(this);
        else {
          servers.refused += 1;
          throw Object.assign(new Error('too many connections'), { code: '53300' });
        }
      },
    );
    jest.spyOn(Client.prototype, 'end').mockImplementation(async () => {});
    const emptyLog = { era: 1, seq: '0', listed_seq: '0', counted_seq: '0', is_written: false };
    const row = { token: '1-100', recovering: false, timeline: 1, lag_ms: '0', ...emptyLog };
    jest.spyOn(Client.prototype, 'query').mockImplementation(async () => ({ rows: [row] }));
    return servers;
  }

  test.each([
    [2, 'one', ['short', 'version']],
    [3, 'one', ['bulk', 'short', 'version']],
    [2, 'each of three', ['short', 'short', 'short', 'version', 'version', 'version']],
    [3, 'each of three', [...Array(3).fill('bulk'), ...Array(3).fill('short'), ...Array(3).fill('version')]],
  ])('reads with %i connections of %s, at the start and after a loss', async (places, servers, lanes) => {
    const played = play();
    const hosts = { one: 'one', 'each of three': 'one,two,three' }[servers];
    const config = loadConfig({ DATABASE_URL: `postgres://x@${hosts}/x` });
    const { part, database, version } = createStore(config, createEvents());
    await openAll([part]);
    for (let losses = 0; losses < 2; losses += 1) {
      played.places = places;
      await until(() => played.taken.length === lanes.length);
      const names = played.taken.map((client) => client.connectionParameters.application_name);
      expect(names.sort()).toEqual(lanes.map((lane) => `catalog-${lane}`));
      expect([database.ready, version.live]).toEqual([true, true]);
      const { refused } = played;
      played.places = 0;
      for (const client of played.taken.splice(0)) client.emit('end');
      await until(() => played.refused > refused + 10);
    }
    expect(await closeAll([part])).toEqual([]);
  });

  test('does not wait behind a connection whose setup query fails', async () => {
    const dialer = new Dialer(createEvents());
    jest.spyOn(dialer, 'pause').mockImplementation(async () => void (await nextTurn()));
    const fail = async (/** @type {() => void} */ accepted) => {
      accepted();
      throw new Error('permission denied');
    };
    void dialer.dial(fail);
    const others = [1, 2].map((rank) => dialer.dial(async () => {}, rank));
    await Promise.all(others);
    dialer.close();
  });

  test.each(['bulk version short more', 'short version bulk more'])(
    'gives new connections to the lane that needs them most, in any order of requests: %s',
    async (asked) => {
      const ranks = ['version', 'short', 'bulk', 'more'];
      const dialer = new Dialer(createEvents());
      let places = 0;
      let refused = 0;
      jest.spyOn(dialer, 'pause').mockImplementation(async () => void (await nextTurn()));
      /** @type {string[]} */
      const taken = [];
      for (const name of asked.split(' '))
        void dialer.dial(async () => {
          await nextTurn();
          if (taken.length < places) taken.push(name);
          else throw new Error(`too many connections: ${(refused += 1)}`);
        }, ranks.indexOf(name));
      while (taken.length < ranks.length) {
        const before = refused;
        await until(() => refused > before + 5);
        places += 1;
        await until(() => taken.length === places);
      }
      expect(taken).toEqual(ranks);
      dialer.close();
    },
  );
});

describe('connections above the limit of the database', () => {
  const problem = async (/** @type {Record<string, string>} */ own) => {
    const config = loadConfig({ DATABASE_URL: 'postgres://x', ...own });
    const events = createEvents();
    const said = jest.fn();
    events.on('connectionsShort', said);
    const database = {
      lanes: { short: { server: 'db-1:5432', row: async () => ['100', '81'].map((field) => Buffer.from(field)) } },
    };
    await checkConnections(config, /** @type {any} */ (database), events);
    return said.mock.calls;
  };

  test('are reported in a warning', async () => {
    expect(await problem({})).toEqual([
      [expect.stringMatching(/^db-1:5432: All workers have 81 connections, .* \(80\)/)],
    ]);
  });

  test('are not reported behind a pooler, which has limits of its own', async () => {
    expect(await problem({ PG_POOLED: 'true' })).toEqual([]);
  });
});
