'use strict';
const { read, trackedFiles } = require('../../docs/sources');

/*
 * Each way in which a release meets a database applies the migrations of the release. npm run fleet:test runs those below; a restore
 * and its undo are tested in backup/, npm start and loads in tests/etl and tests/e2e.
 */

/** Texts that follow each other in a file. @type {[way: string, file: string, first: string, second: string][]} */
const ways = [
  ['a deploy', 'deploy.yml', 'roles/db/files/catalog-etl prepare', 'import_playbook: deploy-roll.yml'],
  ['a run of site or node.sh', 'roles/db/tasks/contents.yml', 'catalog-etl prepare\n', 'changed_when: '],
  ['site: before the first worker', 'site.yml', 'roles: [db]', 'roles: [app]'],
  ['a promotion after a loss', 'roles/db/files/catalog-promoted', 'elif begin_era', '      prepare\n'],
];

test.each(ways)('%s applies the migrations of the release', (_, file, first, second) => {
  const [, ...after] = read(`scripts/fleet/${file}`).split(first);
  expect(after.join('')).toContain(second);
});

/** Up to 011 nodes were never upgraded beside running programs. */
const LAST_FREE = 'db/migrations/011_small_requests.sql';
/** The release before goes on with a newer schema, during a deploy and after a rollback. */
const TAKES_AWAY =
  /\b(DROP\s+(TABLE|COLUMN|SCHEMA|VIEW)|RENAME|ALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE|REVOKE\s+(?!ALL ON FUNCTION))\b/i;

/** @param {string} sql @returns {string} without rights on the tables that it makes itself */
function withoutOwn(sql) {
  const made = [...sql.matchAll(/CREATE TABLE ([\w.]+)/g)].map(([, name]) => name);
  return sql.replace(/REVOKE [^;]+ ON ([\w.]+) FROM [^;]+;/g, (text, name) => (made.includes(name) ? '' : text));
}

test('a migration takes nothing away that the release before uses', () => {
  const files = trackedFiles().filter((file) => /^db\/migrations\/.*\.sql$/.test(file));
  const takes = files.filter((file) => TAKES_AWAY.test(withoutOwn(read(file).replace(/--.*/g, ''))));
  expect(takes).toContain(LAST_FREE);
  expect(takes.filter((file) => file > LAST_FREE)).toEqual([]);
});
