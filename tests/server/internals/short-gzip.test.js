'use strict';

const { randomBytes } = require('node:crypto');
const { gzipSync } = require('node:zlib');

const { toBody, toBytes } = require('../../../server/cache/body');
const { FOR_SHORT_BODIES, createShortGzip } = require('../../../server/internals/node/short-gzip');

const MAX_BYTES = 32 * 1024;

const bodies = {
  'a reply': Buffer.from(JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ id, name: `Coat ${id}` })))),
  'one that compresses to almost nothing': Buffer.alloc(MAX_BYTES, 'a'),
  'one that does not compress': randomBytes(MAX_BYTES),
  'one byte': Buffer.from('0'),
};

test.each(Object.entries(bodies))('%s gets the same bytes as from gzipSync, each time', (_, body) => {
  const gzip = createShortGzip(MAX_BYTES);
  const wanted = gzipSync(body, FOR_SHORT_BODIES);
  for (let round = 0; round < 3; round += 1) expect(gzip(body).equals(wanted)).toBe(true);
});

test('a compressed body does not change while others are compressed', () => {
  const gzip = createShortGzip(MAX_BYTES);
  const made = Object.values(bodies).map((bytes) => toBody(gzip(bytes)));
  expect(made.map((body) => toBytes(body).toString('base64'))).toEqual(
    Object.values(bodies).map((body) => gzipSync(body, FOR_SHORT_BODIES).toString('base64')),
  );
});
