'use strict';
const path = require('node:path');
const { trackedFiles } = require('./sources');

/* Two files share a name only when their folders say what differs (CONTRIBUTING.md). */

/** Two files of one name are allowed when one matches each pattern. @type {Record<string, [RegExp, RegExp]>} */
const rules = {
  'tools and readers look for the name': [
    /(^|\/)(README\.md|DECISIONS\.md|index\.(js|html)|__init__\.py|package(-lock)?\.json|requirements\.(in|lock))$/,
    /./,
  ],
  'a command and its folder': [/^scripts\/[\w-]+\.js$/, /^scripts\/.+\//],
  'a part and its test helper': [/^tests\/helpers\//, /^(?!tests\/)/],
  'a part and its suite of faults': [/^scripts\/faults\/suites\//, /^(?!tests\/)/],
  'tests of two folders': [/^tests\/.*\.test\.js$/, /^tests\/.*\.test\.js$/],
  'a script of k6, and what it loads or measures': [/^k6\//, /^(scripts|server)\//],
  'a part of the service, and what it is to the client': [/^server\/client\//, /^server\//],
  'SQL that writes a document, and SQL that reads it': [/^db\/documents\//, /^server\/store\/queries\//],
  'a part of the service, and what starts or measures it': [/^(server|nginx)\//, /^scripts\//],
  'a role of a simulated fleet and of a real node': [/^scripts\/cluster\//, /^scripts\/provision\//],
};

/** Parts of scripts/ that have a file of this name each. @type {Record<string, string[]>} */
const eachHasOne = {
  'backup.sh': ['provision', 'provision/lib'],
  'commands.js': ['fleet/deploy', 'lib'],
  'load.js': ['bench', 'testbed/loadgen'],
  'machine.js': ['cluster', 'lib', 'provision/proof'],
  'nginx.js': ['local', 'provision'],
  'probe.js': ['lib', 'testbed'],
  'proxy.js': ['provision/proof', 'testbed'],
  'report.js': ['bench', 'k6'],
  'run.js': ['faults', 'k6', 'lib'],
  'search.js': ['bench', 'lib'],
  'targets.js': ['bench', 'monitoring'],
  'upstreams.js': ['fleet/node', 'provision'],
};

test('two files share a name only by a rule', () => {
  const allowed = (/** @type {string[]} */ pair) =>
    Object.values(rules).some(([a, b]) => [pair, pair.toReversed()].some(([x, y]) => a.test(x) && b.test(y))) ||
    pair.every((file) => eachHasOne[path.basename(file)]?.includes(path.dirname(file).replace('scripts/', '')));
  const byName = Object.values(Object.groupBy(trackedFiles(), (file) => path.basename(file)));
  const pairs = byName.flatMap((files = []) => files.flatMap((x, at) => files.slice(at + 1).map((y) => [x, y])));
  expect(pairs.filter((pair) => !allowed(pair))).toEqual([]);
});
