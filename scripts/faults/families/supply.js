'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { environment } = require('../../lib/environment');
const { runTool } = require('../../lib/run');
const { root, wheelNode } = require('../../lib/runtime');
const { exactly, holds, notMeasured } = require('../checks');
const { scanner } = require('../scanners/install');

/** What a credential looks like; put together, so that this file is not the first to be found. */
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

/** @returns {string} */
const noHistory = () => (fs.existsSync(path.join(root, '.git')) ? '' : 'this is no clone of git');

async function history() {
  const { status, output } = await runTool(
    ['git', 'log', '--all', '--patch', '--no-color', '--unified=0', '--', '.', ':!package-lock.json', ':!*.lock'],
    { keepOutput: true },
  );
  const lines = output.split('\n').filter((line) => line.startsWith('+'));
  const found = lines.filter((line) => credentials.test(line));
  return [
    holds('git tells its history', status === 0 && lines.length > 1000, `${lines.length} lines`),
    holds('the patterns find a credential', credentials.test('AKIA' + 'ABCDEFGHIJKLMNOP')),
    exactly('lines that look like a credential', found.length),
  ];
}

const auditNpm = 'npm audit --json --audit-level=high';
const auditPip =
  'pip-audit --format json --require-hashes --disable-pip -r etl/requirements.lock -r scripts/requirements.lock';

/**
 * What an audit says as JSON; an index that does not answer is no pass, and no weakness either.
 * @param {string} what
 * @param {string} command that an operator runs where it does answer
 * @param {() => Promise<string[]>} program
 * @param {(report: any) => import('../checks').Check[]} judge throws when the report is none
 */
async function audit(what, command, program, judge) {
  try {
    const words = command.split(' ').slice(1);
    const { output } = await runTool([...(await program()), ...words], {
      env: environment('installer'),
      keepOutput: true,
    });
    return judge(JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)));
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const reason = `${message.split('\n')[0]}; where the index answers: ${command}`;
    return [notMeasured(what, 'none at high', reason)];
  }
}

/** @param {any} report of npm audit */
function judgeNpm({ metadata, message }) {
  if (!metadata) throw new Error(message ?? 'no report');
  const { high, critical } = metadata.vulnerabilities;
  return [exactly(`npm audit: high ones in ${metadata.dependencies.total} packages`, high + critical)];
}

/** A package that it could not look up is "skipped", and it ends with status 0. @param {any} report of pip-audit */
function judgePip({ dependencies }) {
  const skipped = dependencies.filter((/** @type {any} */ one) => one.skip_reason);
  if (skipped.length > 0)
    throw new Error(`${skipped.length} of ${dependencies.length} not looked up: ${skipped[0].skip_reason}`);
  const weak = dependencies.filter((/** @type {any} */ one) => one.vulns.length > 0);
  return [exactly(`pip-audit: weak ones of ${dependencies.length} packages`, weak.length)];
}

async function audits() {
  const npmCli = path.join(path.dirname(wheelNode()), '../lib/node_modules/npm/bin/npm-cli.js');
  return [
    ...(await audit('npm audit', auditNpm, async () => [process.execPath, npmCli], judgeNpm)),
    ...(await audit('pip-audit', auditPip, async () => [await scanner('pip-audit')], judgePip)),
  ];
}

/** @type {import('../run').Fault[]} */
const supplyFaults = [
  {
    id: 'S3',
    title: 'Secrets in the history',
    done: 'every line ever added searched for what looks like a credential',
    run: history,
    cannot: noHistory,
  },
  {
    id: 'S6',
    title: 'Known weaknesses',
    done: 'npm audit and pip-audit over the locked packages',
    run: audits,
  },
];

module.exports = { supplyFaults, judgeNpm, judgePip };
