'use strict';
const crypto = require('node:crypto');
const { UsageError } = require('./lib/command-line');
const { option, requireOneOf, runCommand } = require('./lib/words');
const { withClient } = require('./local/roles');
const { runningStack, stateFolder, stateOption } = require('./local/state');

const scopes = ['content', 'stock', 'history', 'changes'];
const actions = { create: ['NAME'], list: [], revoke: ['ID'] };
const duplicate = '23505';

/** @param {import('pg').Client} client @param {string} name @param {string | undefined} list */
async function create(client, name, list) {
  if (!list) throw new UsageError(`--scopes is missing: of ${scopes.join(', ')}`);
  const wanted = list.split(',').map((scope) => requireOneOf('scope', scope, scopes));
  const [id, secret] = [crypto.randomBytes(6).toString('hex'), crypto.randomBytes(24).toString('base64url')];
  const hash = crypto.createHash('sha256').update(secret).digest();
  const sql = 'INSERT INTO catalog_meta.api_keys (id, name, secret_hash, scopes) VALUES ($1, $2, $3, $4)';
  await client.query(sql, [id, name, hash, wanted]).catch((error) => {
    throw error.code === duplicate ? new UsageError(`there was a key ${name}: choose another name`) : error;
  });
  console.log(`ck_${id}_${secret}`);
}

/** @param {import('pg').Client} client */
async function list(client) {
  const { rows } = await client.query('SELECT * FROM catalog_meta.api_keys ORDER BY created_at');
  for (const { id, name, scopes: own, created_at: made, revoked_at: revoked } of rows)
    console.log(`${id}  ${name}  ${own.join(',')}  ${revoked ? 'revoked' : 'made'} ${(revoked ?? made).toISOString()}`);
}

/** @param {import('pg').Client} client @param {string} id */
async function revoke(client, id) {
  const sql = 'UPDATE catalog_meta.api_keys SET revoked_at = clock_timestamp() WHERE id = $1 AND revoked_at IS NULL';
  const { rowCount } = await client.query(sql, [id]);
  if (rowCount === 0) throw new UsageError(`no key ${id} is in force: npm run key -- list shows them`);
  console.log(`revoked ${id}`);
}

/** @type {import('./lib/help').Help} */
const help = {
  about: 'API keys of the writer. LOADER_DATABASE_URL names another database than that of the running stack.',
  rows: [
    ['create NAME', 'makes a key and shows its secret, once'],
    ['list', 'shows the keys'],
    ['revoke ID', 'refuses a key from now on; it takes 5 s at most'],
  ],
};
const options = {
  scopes: option('LIST', 'of content, history, stock and changes, with commas between them'),
  state: stateOption,
};
const config = { help, words: ['create|list|revoke'], actions, options };

runCommand('npm run key', config, async ({ values, positionals: [action, word] }) => {
  requireOneOf('action', action, Object.keys(actions));
  const dsn = process.env.LOADER_DATABASE_URL || runningStack(stateFolder(values.state)).loaderDsn;
  return withClient(dsn, async (client) => {
    if (action === 'create') await create(client, word, values.scopes);
    else if (action === 'list') await list(client);
    else await revoke(client, word);
  });
});
