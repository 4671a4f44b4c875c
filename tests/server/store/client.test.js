'use strict';

const { once } = require('node:events');
const net = require('node:net');

const { loadConfig } = require('../../../server/config/config');
const { createEvents } = require('../../../server/core/events');
const { Database } = require('../../../server/store/database');
const { Dialer } = require('../../../server/store/dialer');
const { ServerWatcher } = require('../../../server/store/servers/watcher');
const { until } = require('../../helpers/app');

/** @param {string} code @param {number[]} content @returns {Buffer} one short message of the server */
const message = (code, ...content) => Buffer.from([code.charCodeAt(0), 0, 0, 0, content.length + 4, ...content]);
const welcome = Buffer.concat([message('R', 0, 0, 0, 0), message('Z', 'I'.charCodeAt(0))]);

/** @typedef {{ config: import('../../../server/config/config').Config, events: import('../../../server/core/events').Events, dialer: Dialer }} Own */

describe('a database whose answer is malformed', () => {
  /** @type {net.Server} */
  let server;
  afterEach(() => new Promise((resolve) => void server.close(resolve)));

  /**
   * A server that says these, one for each that it hears, and the parts of what talks to it.
   * @param {Buffer[]} answers
   * @returns {Promise<Own>}
   */
  async function say(...answers) {
    server = net.createServer((socket) => {
      const left = [...answers];
      socket.on('error', () => {});
      socket.on('data', () => left.length > 0 && socket.write(/** @type {Buffer} */ (left.shift())));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {net.AddressInfo} */ (server.address());
    const config = loadConfig({ DATABASE_URL: `postgres://x@127.0.0.1:${port}/x` });
    const events = createEvents();
    return { config, events, dialer: new Dialer(events) };
  }

  const parts = /** @type {[string, (own: Own) => Database | ServerWatcher][]} */ ([
    ['documents', (own) => new Database(own)],
    ['the data version', (own) => new ServerWatcher({ ...own, silent: () => {}, silentMs: 1500 })],
  ]);
  const answers = /** @type {[string, Buffer, RegExp][]} */ ([
    ['GSS', message('R', 0, 0, 0, 7), /cannot be read: .* type 7\. GSS and SSPI in pg_hba\.conf/],
    ['SSPI', message('R', 0, 0, 0, 9), /cannot be read: .* type 9\. GSS and SSPI in pg_hba\.conf/],
    ['half a message', message('R'), /cannot be read: .* out of range/],
    ['a row of -1 fields', message('D', 255, 255), /cannot be read: Invalid array length/],
    ['a message of no known type', message('!'), /received invalid response/],
  ]);

  test.each(parts.flatMap(([part, make]) => answers.map((answer) => /** @type {const} */ ([part, ...answer, make]))))(
    'closes the connection for %s that answers %s, and no worker ends',
    async (_part, _name, answer, reason, make) => {
      const own = await say(answer);
      const refused = once(own.events, 'databaseRefused');
      const part = make(own);
      part.open();
      const [error] = await refused;
      own.dialer.close();
      await part.close();
      expect(error.message).toMatch(reason);
    },
  );

  test('loses a connection in use, and its waiting reads get a 503', async () => {
    const own = await say(welcome, message('R', 0, 0, 0, 7));
    const lost = once(own.events, 'databaseLost');
    const database = new Database(own);
    database.open();
    await until(() => database.lanes.short.ready + database.lanes.long.ready === 3);
    await expect(database.document('product', 1, '')).rejects.toMatchObject({ status: 503 });
    const [lane, error] = await lost;
    own.dialer.close();
    await database.close();
    expect([lane, error.code]).toEqual(['short', 'EPROTO']);
  });
});
