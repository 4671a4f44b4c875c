'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../../scripts/lib/runtime');

/*
 * Each way in which a release meets a database, or a database comes back, applies the migrations of the release. What the ways do is tested
 * where they are: tests/scripts/fleet/backup, tests/scripts/local, tests/etl; deploys and promotions by npm run fleet:test.
 */

const before = (/** @type {string} */ first, /** @type {string} */ second) =>
  new RegExp(`${first}[^]*${second}`.replaceAll(' ', '\\s+'));

/** @type {[way: string, file: string, calls: RegExp][]} */
const ways = [
  [
    'a deploy',
    'scripts/fleet/deploy.yml',
    before('roles/db/files/catalog-etl prepare', 'import_playbook: deploy-roll.yml'),
  ],
  [
    'a run of site or node.sh',
    'scripts/fleet/roles/db/tasks/contents.yml',
    /^ {2}ansible.builtin.command: .*catalog-etl prepare\n {2}register: \w+\n {2}changed_when: .*\n$/m,
  ],
  ['site: before the first worker', 'scripts/fleet/site.yml', before('roles: \\[db\\]', 'roles: \\[app\\]')],
  ['a restore', 'scripts/fleet/backup/restore.sh', before('prepare catalog_restored', 'exchange catalog_restored')],
  ['its undo', 'scripts/fleet/backup/restore.sh', before('prepare catalog_replaced', 'exchange catalog_replaced')],
  [
    'a promotion after a loss',
    'scripts/fleet/roles/db/files/catalog-promoted',
    before('elif begin_era', '      prepare\n'),
  ],
  [
    'npm start, also with an old state folder',
    'scripts/local/catalog.js',
    before('function fillCatalog', 'runStep\\(prepareCatalog\\(\\)'),
  ],
  ['a load', 'etl/pipeline.py', before('def run_load', 'prepare.run\\(context\\)')],
];

test.each(ways)('%s applies the migrations of the release', (_, file, calls) => {
  expect(fs.readFileSync(path.join(root, file), 'utf8')).toMatch(calls);
});

/** Up to 011 nodes were never upgraded beside running programs. */
const LAST_FREE = '011_small_requests.sql';
/** The release before goes on with a newer schema, during a deploy and after a rollback. */
const TAKES_AWAY =
  /\b(DROP\s+(TABLE|COLUMN|SCHEMA|VIEW)|RENAME|ALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE|REVOKE\s+(?!ALL ON FUNCTION))\b/i;

test('a migration takes nothing away that the release before uses', () => {
  const folder = path.join(root, 'db/migrations');
  const names = fs.readdirSync(folder);
  const takes = names.filter((name) =>
    TAKES_AWAY.test(fs.readFileSync(path.join(folder, name), 'utf8').replace(/--.*/g, '')),
  );
  expect(takes).toContain(LAST_FREE);
  expect(takes.filter((name) => name > LAST_FREE)).toEqual([]);
});
