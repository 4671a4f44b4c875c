'use strict';
const { blocksOf, order } = require('./runbook');
const { bootBare, generate, incoming, makeFleet, shapeOf, useMachines } = require('./use-machines');

/* Types every page of the runbook on a fleet, as written: its drills, then its other blocks in the order of the page. Each must end with 0. */

const nine = shapeOf('nine');
const { address, addresses, groups } = nine;
const fleet = useMachines(addresses, (made) => makeFleet(made, nine));
const { admin, release } = fleet;

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

async function requireWhole() {
  for (const [group, condition] of Object.entries(whole))
    for (const name of groups[group]) await admin.must(name, awaited(condition));
}

/**
 * A single place is one machine, as README.md of the runbook says; a list is every machine of its groups.
 * @returns {Promise<(on: string[]) => string[]>} as the places are now
 */
async function findPlaces() {
  const leaders = await admin.must('db-1', "patronictl list -f tsv | awk -F '\\t' '$4 == \"Leader\" { print $2 }'");
  /** @type {Record<string, string | undefined>} */
  const special = { db: leaders.split('\n')[0] };
  for (const name of groups.lb)
    if ((await admin.must(name, 'ip -br -4 address')).includes(` ${address}/`)) special.lb ??= name;
  return (on) => {
    const [place] = on;
    if (on.length > 1) return on.flatMap((each) => groups[each] ?? [each]);
    return [special[place] ?? groups[place]?.[0] ?? place];
  };
}

/** Files that may be loaded, and nothing written since they were. */
async function bringFiles() {
  const [db] = (await findPlaces())(['db']);
  const files = `[ -e ${incoming}/product.csv ] || { ${generate} --products 2000 && chmod -R a+rX ${incoming}; }`;
  await admin.must(db, `${files}; catalog-etl load ${incoming} --again --drop-writes`);
}

/** A newer commit on the administrator's machine, whose release is the one that serves under another name: a build would need the registries. */
async function commit() {
  const author = '-c user.name=pages -c user.email=pages@example.com';
  const name = 'TZ=UTC git log -1 --abbrev=7 --date=format-local:%Y%m%dT%H%M%S --format=%cd-%h';
  await admin.must(
    'admin',
    `git ${author} commit --quiet --allow-empty --message 'Change nothing' && id=$(${name}) && mkdir -p releases/new && cd releases/new
    tar -xf ${release} && mv * "$id" && tar --owner=0 --group=0 -cf "../catalog-$id.tar" "$id"
    cd .. && rm -r new && sha256sum "catalog-$id.tar" >"catalog-$id.tar.sha256"`,
  );
}

/** @type {Record<string, () => Promise<void>>} the situation at the beginning of a page, beside its drills */
const situations = {
  'load-new-data.md': bringFiles,
  'search-behind.md': bringFiles,
  'deploy.md': commit,
  'new-node.md': () => bootBare(fleet, 'app-2'), // its machine is lost, and a bare one is there instead
};

test.each(order)('%s works as written', async (page) => {
  await situations[page]?.();
  const machinesOf = await findPlaces();
  const { drill = [], rest = [] } = Object.groupBy(blocksOf(page), ({ mark }) => (mark === 'drill' ? mark : 'rest'));
  for (const { on, commands } of [...drill, ...rest])
    for (const name of machinesOf(on)) await admin.must(name, commands);
  await requireWhole();
});
