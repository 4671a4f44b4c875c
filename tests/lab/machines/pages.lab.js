'use strict';
const { strict: assert } = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { generate, incoming, load } = require('./ask');
const { withMachines } = require('./use-machines');
const { makeBare } = require('./root');
const { blocksOf, pages } = require('./runbook');
const { makeFleet, shapeOf } = require('./shape');

/* Types every page of the runbook on a fleet, as written: its drills, then its other blocks in the order of the page. Each must end with 0. */

const { address, addresses, groups, text } = shapeOf('nine');

/**
 * @typedef {object} Fleet
 * @property {Record<string, Pick<import('./machine').Machine, 'boot' | 'root' | 'stop'>>} machines
 * @property {Pick<import('./admin-machine').Admin, 'admit' | 'run'>} admin
 * @property {string} network
 * @property {string} release file of the one that serves
 * @property {string} cache folder of the bare distribution
 * @property {import('./root').Suite} suite
 */

/** In this order. What a page needs, an earlier one has left. */
const order = `
  worker-down writer-down writes-waiting breaking-point machine-unwell monitoring-broken redis-down
  public-address-down balancer-lost certificate-renewal drain-a-node key-leaked load-new-data undo-a-load
  search-behind restore-from-backup off-site-copy disk-filling outgrown switchover failover old-primary-back
  postgres-down two-primaries etcd-full etcd-member-lost etcd-lost deploy roll-back new-node rotate-a-secret`
  .trim()
  .split(/\s+/)
  .map((name) => `${name}.md`);

/** @type {Record<string, string>} why a page is not in the order */
const elsewhere = { 'grow.md': 'it begins with one machine: --part grow' };

const timeoutSeconds = 180;
/** @param {string} condition @returns {string} a script that waits for it, and else shows what it printed */
const awaited = (condition) =>
  `for try in $(seq ${timeoutSeconds}); do (set -e; ${condition}) >/tmp/condition 2>&1 && exit 0; sleep 1; done; cat /tmp/condition; exit 1`;

/** @type {Record<string, string>} per group what each of its nodes shows while the fleet is whole */
const whole = {
  etcd: 'etcdctl endpoint health --cluster',
  db: `test "$(patronictl list -f tsv | grep -cE 'Leader.running|(Sync Standby|Replica).streaming')" = ${groups.db.length}
    patronictl list | grep -q 'Sync Standby'`,
  cache: 'systemctl is-active valkey-server || systemctl is-active redis-server',
  app: `. /etc/catalog/worker.env
    for port in $(seq "$CATALOG_ADMIN_PORT" $((CATALOG_ADMIN_PORT + CATALOG_WORKERS - 1))) 7031; do
      curl -fsS "http://$ADMIN_HOST:$port/readyz"
    done`,
  lb: `catalog-balances && systemctl is-active keepalived && curl -fsS 'http://${address}/products?count=1'`,
  monitor: 'systemctl is-active prometheus prometheus-alertmanager',
};

/** @param {Fleet} fleet @param {string} name @param {string} script @returns {string} output */
function must({ admin }, name, script) {
  const { status, output } = admin.run(name, script);
  assert.equal(status, 0, `exit status ${status} on ${name} of\n${script}\n${output}`);
  return output;
}

/** @param {Fleet} fleet */
function requireWhole(fleet) {
  for (const [group, condition] of Object.entries(whole))
    for (const name of groups[group]) must(fleet, name, awaited(condition));
}

/**
 * A single place is one machine, as README.md of the runbook says; a list is every machine of its groups.
 * @param {Fleet} fleet @returns {(on: string[]) => string[]} as the places are now
 */
function placesOf(fleet) {
  const [primary] = must(fleet, 'db-1', "patronictl list -f tsv | awk -F '\\t' '$4 == \"Leader\" { print $2 }'").split(
    '\n',
  );
  const holds = (/** @type {string} */ name) => must(fleet, name, 'ip -br -4 address').includes(` ${address}/`);
  /** @type {Record<string, string | undefined>} */
  const special = { db: primary, lb: groups.lb.find(holds) };
  return (on) => {
    const [place] = on;
    if (on.length > 1) return on.flatMap((each) => groups[each] ?? [each]);
    return [special[place] ?? groups[place]?.[0] ?? place];
  };
}

/** Files that may be loaded, and nothing written since they were. @param {Fleet} fleet */
function bringFiles(fleet) {
  const [db] = placesOf(fleet)(['db']);
  const files = `[ -e ${incoming}/product.csv ] || { ${generate} --products 2000 && chmod -R a+rX ${incoming}; }`;
  must(fleet, db, `${files}; catalog-etl load ${incoming} --again --drop-writes`);
}

/**
 * A newer commit on the administrator's machine, whose release is the one that serves under another name: a build would need the registries.
 * @param {Fleet} fleet
 */
function commit(fleet) {
  const author = '-c user.name=pages -c user.email=pages@example.com';
  const name = 'TZ=UTC git log -1 --abbrev=7 --date=format-local:%Y%m%dT%H%M%S --format=%cd-%h';
  must(
    fleet,
    'admin',
    `git ${author} commit --quiet --allow-empty --message 'Change nothing' && id=$(${name}) && mkdir -p releases/new && cd releases/new
    tar -xf ${fleet.release} && mv * "$id" && tar --owner=0 --group=0 -cf "../catalog-$id.tar" "$id"
    cd .. && rm -r new && sha256sum "catalog-$id.tar" >"catalog-$id.tar.sha256"`,
  );
}

/** Its machine is lost, and a bare one is there instead. @param {Fleet} fleet @param {string} name */
async function replace({ machines, admin, network, suite, cache }, name) {
  const machine = machines[name];
  await machine.stop();
  makeBare(machine.root, suite, cache);
  fs.writeFileSync(path.join(machine.root, 'etc/hostname'), `${name}\n`);
  admin.admit(machine.root);
  await machine.boot({ address: addresses[name], network });
}

/** @type {Record<string, (fleet: Fleet) => Promise<void> | void>} the situation at the beginning of a page, beside its drills */
const situations = {
  'load-new-data.md': bringFiles,
  'search-behind.md': bringFiles,
  'deploy.md': commit,
  'new-node.md': (fleet) => replace(fleet, 'app-2'),
};

/** @param {Fleet} fleet @param {string} page @returns {Promise<number>} how many blocks were typed */
async function typePage(fleet, page) {
  await situations[page]?.(fleet);
  const machinesOf = placesOf(fleet);
  const blocks = blocksOf(page);
  const drills = blocks.filter(({ mark }) => mark === 'drill');
  for (const { on, commands } of [...drills, ...blocks.filter(({ mark }) => mark !== 'drill')])
    for (const name of machinesOf(on)) must(fleet, name, commands);
  requireWhole(fleet);
  return blocks.length;
}

/**
 * @param {Fleet} fleet @param {string[]} chosen of the pages; none: all
 * @param {(line: string) => void} say
 * @returns {Promise<number>} exit status
 */
async function typePages(fleet, chosen, say) {
  assert.deepEqual(
    [...order, ...Object.keys(elsewhere)].sort(),
    pages(),
    'each page has its place in the order, or a reason',
  );
  for (const [page, reason] of Object.entries(elsewhere)) say(`-     runbook/${page}: ${reason}`);
  let failed = 0;
  for (const page of order.filter((each) => chosen.length === 0 || chosen.includes(each))) {
    try {
      say(`ok    runbook/${page}: ${await typePage(fleet, page)} blocks typed`);
    } catch (error) {
      failed += 1;
      say(`FAIL  runbook/${page}: ${/** @type {Error} */ (error).message}`);
    }
  }
  return Number(failed > 0);
}

/** @param {import('./use-machines').Place & { only: string[] }} place @returns {Promise<number>} exit status */
async function provePages(place) {
  let status = 1;
  await withMachines(place, addresses, async (machines, admin, network) => {
    makeFleet(admin, text, place.release);
    machines['db-1'].must(load(2000));
    status = await typePages({ ...place, machines, admin, network }, place.only, place.say);
  });
  return status;
}

module.exports = { elsewhere, order, provePages, typePages };
