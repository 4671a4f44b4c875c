'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { findNpm, root } = require('../../lib/runtime');
const { exactly, holds, notMeasured } = require('../checks');
const { scanner } = require('../scanners/install');

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

const needsHistory = () => (fs.existsSync(path.join(root, '.git')) ? '' : 'needs a git clone');

async function history() {
  const words = ['log', '--all', '--patch', '--no-color', '--unified=0', '--', '.', ':!package-lock.json', ':!*.lock'];
  const { status, output } = await runTool(['git', ...words], { keepOutput: true });
  const lines = output.split('\n').filter((line) => line.startsWith('+'));
  const found = lines.filter((line) => credentials.test(line));
  return [
    holds('git reads its history', status === 0 && lines.length > 1000, `${lines.length} lines`),
    holds('the patterns find a credential', credentials.test('AKIA' + 'ABCDEFGHIJKLMNOP')),
    exactly('lines that look like a credential', found.length),
  ];
}

const auditNpm = 'npm audit --json --audit-level=high';
const auditPip =
  'pip-audit --format json --require-hashes --disable-pip -r etl/requirements.lock -r scripts/requirements.lock';

/**
 * Judges the JSON of an audit. Without an answer of the index it is not measured.
 * @param {string} what
 * @param {string} command to run where the index answers
 * @param {() => Promise<string[]>} program
 * @param {(report: any) => import('../checks').Check[]} judge throws when this is not a report
 */
async function audit(what, command, program, judge) {
  try {
    const words = [...(await program()), ...command.split(' ').slice(1)];
    const { output } = await runTool(words, { env: environment('installer'), keepOutput: true });
    return judge(JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)));
  } catch (error) {
    const [line] = /** @type {Error} */ (error).message.split('\n');
    return [notMeasured(what, 'none at high', `${line}; where the index answers, run ${command}`)];
  }
}

/** @param {any} report of npm audit */
function judgeNpm({ metadata, message }) {
  if (!metadata) throw new Error(message ?? 'no report');
  const { high, critical } = metadata.vulnerabilities;
  return [exactly(`npm audit: vulnerable packages (high) of ${metadata.dependencies.total}`, high + critical)];
}

/** A package that it could not look up is "skipped", and it ends with status 0. @param {any} report of pip-audit */
function judgePip({ dependencies }) {
  const skipped = dependencies.filter((/** @type {any} */ one) => one.skip_reason);
  if (skipped.length > 0)
    throw new Error(`${skipped.length} of ${dependencies.length} not looked up: ${skipped[0].skip_reason}`);
  const vulnerable = dependencies.filter((/** @type {any} */ one) => one.vulns.length > 0);
  return [exactly(`pip-audit: vulnerable packages of ${dependencies.length}`, vulnerable.length)];
}

async function audits() {
  return [
    ...(await audit('npm audit', auditNpm, async () => [process.execPath, findNpm()], judgeNpm)),
    ...(await audit('pip-audit', auditPip, async () => [await scanner('pip-audit')], judgePip)),
  ];
}

module.exports = { judgeNpm, judgePip, needsHistory, supplyFaults: { S3: history, S6: audits } };
