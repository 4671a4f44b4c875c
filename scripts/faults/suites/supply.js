'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { findNpm, root } = require('../../lib/runtime');
const { exactly, holds, notMeasured } = require('../checks');
const { scanner } = require('../scanners/scanner');

/** Patterns of credentials; put together, so that this file does not match them. */
const credentials = new RegExp(
  [
    '-----BEGIN [A-Z ]*PRIVATE ' + 'KEY-----',
    '\\b(AKIA|ASIA)[0-9A-Z]{16}\\b',
    '\\bgh[pousr]_[A-Za-z0-9]{36}\\b',
    '\\bxox[baprs]-[0-9A-Za-z-]{10,}',
    '\\b(postgres(ql)?|rediss?)://[^\\s:@/]+:[0-9a-f]{24,}@',
    '["\']?\\w*(password|secret|license_key)["\']?\\s*[:=]\\s*["\'][0-9a-f]{32,}["\']',
  ].join('|'),
  'i',
);

/**
 * Judges the JSON of an audit. Without an answer of the index it is not measured.
 * @param {string} command to run where the index answers
 * @param {() => Promise<string[]>} program
 * @param {(report: any) => import('../checks').Check} judge throws when this is not a report
 */
async function audit(command, program, judge) {
  const [name, ...words] = command.split(' ');
  try {
    const { output } = await runTool([...(await program()), ...words], {
      env: environment('installer'),
      keepOutput: true,
    });
    return judge(JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)));
  } catch (error) {
    const [line] = /** @type {Error} */ (error).message.split('\n');
    return notMeasured(`audit by ${name}`, 'none at high', `${line}; where the index answers, run ${command}`);
  }
}

/** @param {any} report of npm audit */
function judgeNpm({ metadata, message }) {
  if (!metadata) throw new Error(message ?? 'no report');
  const { high, critical } = metadata.vulnerabilities;
  return exactly(`npm audit: vulnerable packages (high) of ${metadata.dependencies.total}`, high + critical);
}

/** A package that it could not look up is "skipped", and it ends with status 0. @param {any} report of pip-audit */
function judgePip({ dependencies }) {
  const skipped = dependencies.filter((/** @type {any} */ one) => one.skip_reason);
  if (skipped.length > 0)
    throw new Error(`${skipped.length} of ${dependencies.length} not looked up: ${skipped[0].skip_reason}`);
  const vulnerable = dependencies.filter((/** @type {any} */ one) => one.vulns.length > 0);
  return exactly(`pip-audit: vulnerable packages of ${dependencies.length}`, vulnerable.length);
}

/** @type {import('../run').Runs} */
const runs = {
  async S3() {
    const words = [
      'log',
      '--all',
      '--patch',
      '--no-color',
      '--unified=0',
      '--',
      '.',
      ':!package-lock.json',
      ':!*.lock',
    ];
    const { status, output } = await runTool(['git', ...words], { keepOutput: true });
    const lines = output.split('\n').filter((line) => line.startsWith('+'));
    const found = lines.filter((line) => credentials.test(line));
    return [
      holds('git reads its history', status === 0 && lines.length > 1000, `${lines.length} lines`),
      holds('the patterns find a credential', credentials.test('AKIA' + 'ABCDEFGHIJKLMNOP')),
      exactly('lines that look like a credential', found.length),
    ];
  },

  S6: async () => [
    await audit('npm audit --json --audit-level=high', async () => [process.execPath, findNpm()], judgeNpm),
    await audit(
      'pip-audit --format json --require-hashes --disable-pip -r etl/requirements.lock -r scripts/requirements.lock',
      async () => [await scanner('pip-audit')],
      judgePip,
    ),
  ],
};

const cannot = { S3: () => (fs.existsSync(path.join(root, '.git')) ? '' : 'needs a git clone') };

module.exports = { cannot, judgeNpm, judgePip, runs };
