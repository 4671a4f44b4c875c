'use strict';
const path = require('node:path');
const { trackedFiles } = require('./sources');

/* Two files share a name only when their folders say what differs (CONTRIBUTING.md). */

/** Two files of one name are allowed when one matches each pattern. @type {Record<string, [RegExp, RegExp]>} */
const rules = {
  'tools and readers look for the name': [
    /(^|\/)(README\.md|DECISIONS\.md|index\.(js|html)|__init__\.py|package(-lock)?\.json|tsconfig\.json|jest\.config\.js|requirements\.(in|lock))$/,
    /./,
  ],
  'a command and its folder': [/^(scripts|tests\/lab)\/[\w-]+\.js$/, /^(scripts|tests\/lab)\/.+\//],
  'a part and its test helper': [/^tests\/helpers\//, /^(?!tests\/helpers)/],
  'tests of two folders': [/^tests\/.*\.test\.js$/, /^tests\/.*\.test\.js$/],
  'a script of k6, and what it loads or measures': [/^k6\//, /^(scripts|server|tests\/lab)\//],
  'a part of a worker, and what it is in the writer': [
    /^server\/(writer|browser\/editor)\//,
    /^server\/(?!writer\/|browser\/editor)/,
  ],
  'a part of the service, and what it is to the client': [/^server\/client\//, /^server\/(?!client|browser)/],
  'SQL that writes a document, and SQL that reads it': [
    /^db\/(documents|writes)\//,
    /^(server\/store\/queries|db\/documents)\//,
  ],
  'a part of the service, and what starts or measures it': [/^(server|nginx)\//, /^(scripts|tests\/lab)\//],
  'a file of an Ansible role': [/^scripts\/fleet\/roles\//, /^scripts\/fleet\//],
};

/** Parts of scripts/ and of tests/lab/ that have a file of this name each. @type {Record<string, string[]>} */
const eachHasOne = {
  'load.js': ['lab/bench', 'lab/testbed/loadgen'],
  'machine.js': ['lib', 'lab/machines'],
  'nginx.js': ['fleet', 'local'],
  'proxy.js': ['lab/machines', 'lab/testbed'],
  'report.js': ['lab/bench', 'k6'],
  'run.js': ['k6', 'lib'],
};

const files = trackedFiles();
const byName = Object.values(Object.groupBy(files, (file) => path.basename(file)));
const pairs = byName.flatMap((same = []) => same.flatMap((x, at) => same.slice(at + 1).map((y) => [x, y])));
const rulesOf = (/** @type {string[]} */ pair) =>
  Object.keys(rules).filter((rule) =>
    [pair, pair.toReversed()].some((each) => rules[rule].every((pattern, at) => pattern.test(each[at]))),
  );

test('two files share a name only by a rule', () => {
  const isListed = (/** @type {string} */ file) =>
    eachHasOne[path.basename(file)]?.includes(path.dirname(file).replace(/^scripts\/|^tests\//, ''));
  expect(pairs.filter((pair) => rulesOf(pair).length === 0 && !pair.every(isListed))).toEqual([]);
});

test('each rule allows what no other one does, and each listed file exists', () => {
  const needed = new Set(pairs.map(rulesOf).flatMap((found) => (found.length === 1 ? found : [])));
  expect(Object.keys(rules).filter((rule) => !needed.has(rule))).toEqual([]);
  const listed = Object.entries(eachHasOne).flatMap(([name, folders]) => folders.map((each) => `${each}/${name}`));
  expect(listed.filter((file) => !files.includes(`${file.startsWith('lab/') ? 'tests' : 'scripts'}/${file}`))).toEqual(
    [],
  );
});
