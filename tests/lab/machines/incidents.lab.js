'use strict';
const { judge } = require('../judge');
const { incidents } = require('./incidents');
const { makeFleet, shapeOf, useMachines } = require('./use-machines');

/* Makes a fleet with everything twice or three times, lets each incident happen to it, and prints what was measured. */

const nine = shapeOf('nine');
const fleet = useMachines(nine.addresses, (made) => makeFleet(made, nine));
/** @type {import('../environment').Lab} */
const lab = /** @type {any} */ (globalThis).lab;

const all = Object.entries(incidents).map(([name, incident]) => ({ name, ...incident }));

test.each(all)('$name: $done', async ({ name, run }) => {
  const figures = await run(fleet, fleet.short ? 0.1 : 1);
  lab.say?.(
    `${name}: ${Object.entries(figures)
      .map(([what, [measured]]) => `${what} ${measured}`)
      .join(', ')}`,
  );
  judge(figures);
});
