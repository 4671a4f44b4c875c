'use strict';
const { strict: assert } = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { get, load } = require('./ask');
const { withMachines } = require('./use-machines');
const { copySource } = require('./root');
const { blocksOf } = require('./runbook');
const { shapeOf } = require('./shape');
const { underLoad } = require('./under-load');

/* Types the page "from one machine to five": one machine with data and a writer, and four bare ones, under load at the old and the new place. */

const { addresses } = shapeOf('five');
const size = { rate: 50, requests: 2000 };
/** In which what no cache has gets 503. */
const restartSeconds = 3;
const first = 'db-1';
const patch = `-X PATCH -H 'Content-Type: application/merge-patch+json' -d '{"slogan":"grown"}'`;

/** @param {import('./machine').Machine} machine @param {string} release */
function makeOne(machine, release) {
  copySource(path.join(machine.root, 'srv/catalog'));
  for (const file of [release, `${release}.sha256`])
    fs.copyFileSync(file, path.join(machine.root, 'srv', path.basename(file)));
  machine.must(`/srv/catalog/scripts/fleet/node.sh --role all workers=2 --release /srv/${path.basename(release)}
    echo '    writer: { hosts: { node: {} } }' >>/etc/catalog/inventory/hosts.yml && catalog-node
    ${load(2000)}`);
}

/** @param {import('./use-machines').Place} place @returns {Promise<void>} */
const proveGrow = (place) =>
  withMachines(place, addresses, async (machines, admin, network) => {
    const one = machines[first];
    makeOne(one, place.release);
    const key = one.must('catalog-key create till --scopes content').trim();
    const product = (/** @type {string} */ name, /** @type {string} */ words) =>
      JSON.parse(
        one.must(`${get} -k -H 'Authorization: Bearer ${key}' ${words} https://${addresses[name]}:8443/products/1`),
      );
    product(first, patch);
    const [take, make, stop, check, back] = blocksOf('grow.md').map(
      ({ on: [name], commands }) =>
        async () =>
          void admin.must(name, commands),
    );
    /** @param {string} name of the place that clients use @param {() => Promise<void>} happen @param {number} [seconds] of 503 */
    const under = async (name, happen, seconds = 0) => {
      const seen = await underLoad({ network, base: `http://${addresses[name]}` }, size, happen);
      const { failed, refused, sent, max } = seen;
      place.say(`      ${failed} failed of ${sent} at ${name}, ${refused} of these by 503, longest ${max} ms`);
      const isFine = failed === refused && refused <= seconds * size.rate;
      assert.ok(isFine, `at ${name} no more than ${seconds} s of 503:\n${seen.failures.join('\n')}`);
    };
    const takeAndMake = async () => {
      await take();
      await make();
    };
    await under(first, takeAndMake, restartSeconds);
    await under('lb-1', stop);
    await check();
    assert.equal(product('lb-1', '').slogan, 'grown');
    place.say('ok    one machine has become five, with its data, passwords and keys');
    await under('lb-1', back);
    assert.equal(product(first, '').slogan, 'grown');
    place.say('ok    the first machine serves again');
  });

module.exports = { proveGrow };
