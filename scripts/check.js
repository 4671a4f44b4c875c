'use strict';
const { checks } = require('./lib/commands');
const { runTool } = require('./lib/run');

/** Runs every check even after one failed: a person mends them in one go. @returns {Promise<number>} */
async function main() {
  const halt = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => halt.abort());
  const failed = [];
  for (const { name, command } of checks()) {
    const { status, output } = await runTool(command, { keepOutput: true, signal: halt.signal });
    if (halt.signal.aborted) return 1;
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    if (status !== 0) console.log(output.trim());
    if (status !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

main().then((status) => process.exit(status));
