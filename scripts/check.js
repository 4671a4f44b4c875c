'use strict';
const { checks, formatters } = require('./lib/commands');
const { environment } = require('./lib/environment');
const { runTool } = require('./lib/run');
const { untilSignal } = require('./lib/command-line');
const { runCommand } = require('./lib/words');

const help = `npm run check

Runs eslint, prettier, tsc, ruff, mypy, shellcheck, redocly and a check of the READMEs' prose, all of them even when one fails.

  npm run lint        only eslint, ruff, shellcheck and redocly
  npm run typecheck   only tsc and mypy
  npm run format      lets prettier and ruff write, and writes .env.example

  --help   this text`;

/** By the first word: each is an npm script of its own. @type {Record<string, string>} */
const parts = { lint: 'npm run lint', types: 'npm run typecheck', format: 'npm run format' };

/** @param {string} part empty: all checks */
function toolsOf(part) {
  if (part === 'format') return formatters().map((tool) => ({ ...tool, env: {} }));
  return checks().filter(({ kind }) => part === '' || kind === part);
}

const [first = '', ...rest] = process.argv.slice(2);
const part = Object.hasOwn(parts, first) ? first : '';
const args = part ? rest : process.argv.slice(2);

// Every check runs even after one failed, so that you can fix all of them together.
runCommand(parts[part] ?? 'npm run check', { help, args, options: {} }, async () => {
  const signal = untilSignal();
  const failed = [];
  const tools = toolsOf(part);
  for (const { name, command, env } of tools) {
    const { status, output } = await runTool(command, { env: environment('tool', env), keepOutput: true, signal });
    if (signal.aborted) return 1;
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    if (status !== 0) console.log(output.trim());
    if (status !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? `all ${tools.length} passed` : `failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
