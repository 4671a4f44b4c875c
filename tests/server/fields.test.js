'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { join, relative, resolve } = require('node:path');

const { trackedFiles } = require('../docs/sources');

const SERVER = resolve(__dirname, '../../server');

const FILES = trackedFiles('server')
  .map((file) => relative('server', file))
  .filter((name) => name.endsWith('.js'));

/** @param {string} name of a file under server/ */
const textOf = (name) => readFileSync(join(SERVER, name), 'utf8');

test('only config.js reads the environment', () => {
  expect(FILES.filter((name) => /process\.env/.test(textOf(name)))).toEqual(['config/config.js']);
});

describe('undocumented fields of Node and pg', () => {
  /** Any field that begins with an underscore, and these. */
  const NODE = ['shouldKeepAlive', 'parser', 'incoming', 'closeIdleConnections', 'destroySoon = '];
  const PG = [
    'connection',
    'connectionParameters',
    'stream',
    'attachListeners',
    'parsedStatements',
    'submittedNamedStatements',
    'hasBeenParsed',
  ];
  const used = new RegExp(`\\._\\w|\\{ _\\w|pg-protocol|\\.(?:${[...NODE, ...PG].join('|')})(?!\\w)`);
  // The client runs in browsers: it has neither Node nor pg.
  const isAllowed = (/** @type {string} */ name) => /^(internals|client)\//.test(name);

  test('are used in internals/ only', () => {
    expect(FILES.filter((name) => !isAllowed(name) && used.test(textOf(name)))).toEqual([]);
  });

  test('name the versions that they were checked on, and have a test of the bytes', () => {
    for (const name of FILES.filter((each) => each.startsWith('internals/'))) {
      const text = textOf(name).replace(/\n \* /g, ' ');
      expect([name, text]).toEqual([name, expect.stringMatching(/Checked on (?:Node|pg) \d+\.\d+/)]);
      const [, tests] = /Byte tests?: (.*?\.test\.js)\./.exec(text) ?? [];
      expect(tests?.split(', ').filter((test) => existsSync(join(SERVER, '..', test)))).toEqual(tests.split(', '));
    }
  });
});
