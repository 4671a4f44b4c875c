'use strict';

const dns = require('node:dns');
const { once } = require('node:events');
const { createServer } = require('node:net');

const { isPrivate, privateIn } = require('../../../server/writer/hooks/addresses');
const { Poster } = require('../../../server/writer/hooks/post');

const NEVER = new AbortController().signal;

/** @param {string} url @param {boolean} isAllowed */
const post = async (url, isAllowed) => {
  const poster = new Poster({ url, allow_private: isAllowed }, 300);
  try {
    return await poster.post({}, '{}', NEVER);
  } finally {
    poster.close();
  }
};

test.each([
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.9.9.9', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::10.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::127.0.0.1',
    'fc00::1',
    'fdff::1',
  ],
  ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2002:a00:1::', '2001:db8::1'],
])('%s is a private address', (address) => {
  expect(isPrivate(address)).toBe(true);
});

test.each([
  ...['1.1.1.1', '9.255.255.255', '100.63.255.255', '100.128.0.0', '172.32.0.1', '192.167.255.255', '223.255.255.255'],
  ...['2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1'],
])('%s is a public address', (address) => {
  expect(isPrivate(address)).toBe(false);
});

test.each([
  ...[
    'http://shop.example/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://10.1/',
  ],
  ...[
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://a.localhost./',
    'https://127.0.0.1./',
    'https://169.254.169.254:80/',
  ],
])('%s needs --allow-private without a look at DNS', async (url) => {
  expect(privateIn(new URL(url))).toContain('needs --allow-private');
  expect(await post(url, false)).toEqual({ isReceived: false, text: privateIn(new URL(url)) });
});

test('a name that leads to a private address is refused when a connection is made', async () => {
  const lookup = jest
    .spyOn(dns, 'lookup')
    .mockImplementation(
      /** @type {any} */ (
        (/** @type {string} */ _, /** @type {unknown} */ __, /** @type {any} */ found) =>
          found(null, [{ address: '10.9.8.7', family: 4 }])
      ),
    );
  const answer = await post('https://shop.example/hooks', false);
  lookup.mockRestore();
  expect(answer).toEqual({ isReceived: false, text: expect.stringContaining('10.9.8.7, a private address,') });
});

test('neither silence nor a closed port nor an unknown name is taken for a receipt', async () => {
  expect(await post('http://receiver.invalid/', true)).toMatchObject({
    isReceived: false,
    text: expect.stringContaining('receiver.invalid'),
  });
  const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (silent.address()).port}/`;
  expect(await post(url, true)).toEqual({ isReceived: false, text: 'no answer in 0.3 s' });
  silent.close();
  await once(silent, 'close');
  expect(await post(url, true)).toMatchObject({ isReceived: false, text: expect.stringContaining('ECONNREFUSED') });
});
