'use strict';
const { parse } = require('pg-connection-string');
const { createRoles, withClient } = require('../local/roles');
const { waitUntil } = require('../lib/wait-until');

/* Gives the database of DATABASE_URL its roles, with the passwords of the other addresses. It may run again, and waits for the server. */

const startMs = 60_000;
const { env } = process;
const passwordIn = (/** @type {string | undefined} */ dsn) => {
  const { password } = parse(dsn ?? '');
  if (!password)
    throw new Error('set LOADER_DATABASE_URL, API_DATABASE_URL and WRITE_DATABASE_URL, with a password each');
  return password;
};

async function main() {
  const [loader, api, writer] = [env.LOADER_DATABASE_URL, env.API_DATABASE_URL, env.WRITE_DATABASE_URL].map(passwordIn);
  const admin = env.DATABASE_URL ?? '';
  const answers = () => withClient(admin, async () => true).catch(() => false);
  await waitUntil(answers, startMs);
  await createRoles(admin, { loader, api, writer }); // of a server that still does not answer, it says why
}

main();
