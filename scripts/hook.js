'use strict';
const { option, requireOneOf, runCommand, toggle } = require('./lib/words');
const hooks = require('./local/hooks');
const { withClient } = require('./local/roles');
const { runningStack, stateFolder, stateOption } = require('./local/state');

/** @type {Record<string, string[]>} */
const actions = {
  add: ['URL'],
  list: [],
  ...Object.fromEntries(['pause', 'resume', 'test', 'replay', 'rotate', 'remove'].map((name) => [name, ['ID']])),
};

/** @type {import('./lib/help').Help} */
const help = {
  about:
    'Webhooks: the writer sends the changes of the catalog to these addresses. LOADER_DATABASE_URL names another database than that of the running stack.',
  rows: [
    ['add URL', 'sends what changes from now on, and shows the secret of the signatures, once'],
    ['list', 'shows the hooks: id, address, types, cursor, state with the last answer'],
    ['pause ID', 'sends nothing more, and keeps the cursor'],
    ['resume ID', 'continues at the cursor'],
    ['test ID', 'sends a request without changes, and shows the answer; status 1 unless it is 2xx'],
    ['replay ID', 'sends again from --from on, also to a paused hook'],
    ['rotate ID', 'makes another secret; for 24 hours both sign'],
    ['remove ID', 'forgets a hook'],
  ],
};
const options = {
  types: option('LIST', 'with add: of product.*, stock.*, product.created and so on, with commas; default all'),
  'allow-private': toggle('with add: also http, and addresses of private networks'),
  from: option('CURSOR', 'with replay: the last change that was received, or head'),
  state: stateOption,
};
const config = { help, words: [Object.keys(actions).join('|')], actions, options };

runCommand('npm run hook', config, async ({ values, positionals: [action, word] }) => {
  requireOneOf('action', action, Object.keys(actions));
  const dsn = process.env.LOADER_DATABASE_URL || runningStack(stateFolder(values.state)).loaderDsn;
  const run = /** @type {Record<string, (client: any, word: string, values: any) => Promise<number | void>>} */ (hooks);
  return withClient(dsn, (client) => run[action](client, word, values));
});
