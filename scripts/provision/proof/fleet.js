'use strict';
const { strict: assert } = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { Machine } = require('./machine');

/*
 * The machines of the single roles, booted side by side on one network: a person who follows "a new node" for each of
 * them has a service, and a replica that takes over.
 */

const network = 'catalog-proof';
const addresses = /** @type {Record<string, string>} */ ({
  db: '10.0.0.20',
  cache: '10.0.0.40',
  app: '10.0.0.31',
  lb: '10.0.0.10',
  replica: '10.0.0.21',
});
const get = 'curl -fsS --retry 20 --retry-all-errors --retry-delay 1';
const products = 2000;
const load = `/opt/catalog/node/bin/node /opt/catalog/current/scripts/generate /srv/incoming --products ${products} && chmod -R a+rX /srv/incoming && catalog-etl load /srv/incoming`;
const sql = (/** @type {string} */ text) =>
  `runuser -u postgres -- psql -X -At -d catalog -c "${text}"`;
const count = sql('SELECT count(*) FROM catalog.product_documents');

/** @param {string[]} words */
const ip = (...words) => execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'] });

function makeNetwork() {
  ip('netns', 'add', network);
  for (const words of ['link set lo up', 'link add br0 type bridge', 'link set br0 up'])
    ip('-n', network, ...words.split(' '));
}

/** @param {Machine} machine @param {string} script @param {NodeJS.ProcessEnv} [env] @returns {string} */
function must(machine, script, env) {
  const { status, output } = machine.run(script, env);
  assert.equal(status, 0, `exit status ${status} of\n${script}\n${output}`);
  return output;
}

/** @param {Machine} machine @param {string} secrets what the primary's file holds */
function give(machine, secrets) {
  must(machine, '(umask 077; printf "%s\\n" "$SECRETS" > /etc/catalog/secrets.env); catalog-node', {
    SECRETS: secrets,
  });
  assert.match(must(machine, 'catalog-node'), /: 0 changes$/m);
}

/** @param {Record<string, Machine>} machines db, cache, app and lb, each made by proveRole @param {(line: string) => void} say */
async function proveFleet(machines, say) {
  const all = { ...machines, replica: new Machine(`${machines.db.root}-2`, machines.db.cache) };
  execFileSync('cp', ['--archive', machines.db.root, all.replica.root]); // with its owners, unlike fs.cpSync
  makeNetwork();
  try {
    for (const [role, machine] of Object.entries(all))
      await machine.boot({ address: addresses[role], network });
    const secrets = serve(all);
    say('ok    db, cache, app and lb, each made alone, serve a load');
    replicate(all, secrets);
    say('ok    a replica is made, takes the next load, and is promoted');
  } finally {
    for (const machine of Object.values(all)) await machine.stop();
    ip('netns', 'delete', network);
    fs.rmSync(all.replica.root, { recursive: true });
  }
}

/** @param {Record<string, Machine>} machines @returns {string} the primary's passwords */
function serve({ db, cache, app, lb }) {
  must(db, 'catalog-node');
  must(db, load);
  const secrets = must(db, 'cat /etc/catalog/secrets.env');
  give(cache, secrets);
  give(app, secrets);
  for (const route of [
    '/products?count=3',
    '/products/1',
    '/products/1/styles',
    '/products/1/related',
  ])
    JSON.parse(must(lb, `${get} 'http://${addresses.lb}${route}'`));
  assert.match(must(app, `${get} http://127.0.0.1:9030/readyz`), /"database":"up","cache":"up"/);
  for (const [role, machine] of Object.entries({ db, cache, app, lb }))
    must(machine, `catalog-listening ${role} ${addresses[role]}`);
  return secrets;
}

/** @param {Record<string, Machine>} machines @param {string} secrets */
function replicate({ db, replica }, secrets) {
  must(
    replica,
    'systemctl stop "postgresql@$(ls /etc/postgresql)-main"; rm -r /var/lib/postgresql/*/main',
  );
  const options = `--role db --address ${addresses.replica} --network 10.0.0.0/24 --replica-of ${addresses.db}`;
  must(replica, '(umask 077; printf "%s\\n" "$SECRETS" > /etc/catalog/secrets.env)', {
    SECRETS: secrets,
  });
  must(replica, `catalog-node ${options}`);
  assert.match(must(replica, 'catalog-node'), /^db: 0 changes$/m);
  must(
    db,
    `for try in $(seq 30); do ${sql('SELECT state FROM pg_stat_replication')} | grep -qx streaming && exit 0; sleep 1; done; exit 1`,
  );
  must(db, 'catalog-etl load /srv/incoming --campus other');
  must(db, `test "$(${count})" = ${products}`);
  const version = sql('SELECT version FROM catalog_meta.data_version');
  const wanted = must(db, version).trim();
  must(
    replica,
    `for try in $(seq 30); do test "$(${version})" = ${wanted} && exit 0; sleep 1; done; exit 1`,
  );
  assert.equal(must(replica, count).trim(), String(products));
  assert.equal(must(replica, sql('SELECT pg_is_in_recovery()')).trim(), 't');
  must(replica, `${sql('SELECT pg_promote()')} && ${sql('SELECT catalog_meta.bump_version()')}`);
}

module.exports = { proveFleet };
