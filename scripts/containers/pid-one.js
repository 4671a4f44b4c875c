'use strict';
const path = require('node:path');
const { apps } = require('../../ecosystem.config');

/*
 * The process of a container: `node pid-one.js worker` or `writer`. It becomes what PM2 would start, with the same options, so that
 * SIGTERM reaches the program itself.
 */
const [wanted] = process.argv.slice(2);
const app = apps.find(({ name }) => name.split('-')[0] === wanted);
if (!app) throw new Error(`there is no ${wanted} to start: type worker, or writer with WRITE_DATABASE_URL`);
const { interpreter, node_args: options, cwd, script, env } = app;
process.execve?.(interpreter, ['node', ...options, path.join(cwd, script)], { ...process.env, ...env });
