'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { faults, runFault } = require('../lab/faults/run');
const { openRig } = require('../lab/testbed/rig');
const { freePort } = require('./servers');
const { unless } = require('./skip');

/**
 * One short test for each fault, on one rig. Times are not judged, because they depend on the machine; `npm run faults` judges them.
 * @param {string} ids
 */
function testFaults(ids) {
  /** @type {Awaited<ReturnType<typeof openRig>>} */
  let rig;
  /** @type {string[]} */
  const printed = [];
  beforeAll(async () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'faults of a folder '));
    const say = (/** @type {string} */ line) => void printed.push(line);
    rig = await openRig({ dir, products: 300, port: await freePort(10), rate: 100, scale: 0.02, say });
  }, 90_000);
  afterAll(() => rig?.close(), 60_000);

  test.each(ids.split(' '))('%s is a fault', (id) => expect(faults.map((fault) => fault.id)).toContain(id));

  for (const fault of faults.filter(({ id }) => ids.split(' ').includes(id)))
    unless(fault.cannot?.() || false).test(
      `${fault.id} ${fault.title}`,
      async () => {
        const { checks } = await runFault(rig, fault);
        const missed = checks.filter(({ pass, timed }) => !pass && !timed);
        expect({ missed, printed: missed.length ? printed : [] }).toEqual({ missed: [], printed: [] });
        expect(checks.length).toBeGreaterThan(0);
      },
      60_000,
    );
}

module.exports = { testFaults };
