'use strict';

/* A container's health: exit status 0 when its admin port of this number says that it is ready. */

const [port] = process.argv.slice(2);
fetch(`http://127.0.0.1:${port}/readyz`).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  () => process.exit(1),
);
