'use strict';
const fs = require('node:fs');
const path = require('node:path');

const { runTool } = require('../../lib/run');
const { python, root, wheelNode } = require('../../lib/runtime');
const { exactly, holds, notMeasured } = require('../checks');

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
    [
      'git',
      'log',
      '--all',
      '--patch',
      '--no-color',
      '--unified=0',
      '--',
      '.',
      ':!package-lock.json',
      ':!*.lock',
    ],
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

/** @param {string[]} command @returns {Promise<{ status: number, output: string }>} */
const tool = (command) => runTool(command, { keepOutput: true });

/** What the registries know about the locked packages. A registry that does not answer is no pass: it is said. */
async function audits() {
  const npmCli = path.join(path.dirname(wheelNode()), '../lib/node_modules/npm/bin/npm-cli.js');
  const npm = await tool([process.execPath, npmCli, 'audit', '--audit-level=high']);
  const pip = await tool([
    python,
    '-m',
    'pip_audit',
    '--require-hashes',
    '-r',
    'etl/requirements.lock',
    '-r',
    'scripts/requirements.lock',
  ]);
  return [
    auditCheck('npm audit', npm, /found 0 vulnerabilities|severity/i),
    auditCheck('pip-audit', pip, /No known vulnerabilities|Found \d+ known/),
  ];
}

/** @param {string} name @param {{ status: number, output: string }} result @param {RegExp} answered */
function auditCheck(name, { status, output }, answered) {
  if (answered.test(output)) return exactly(`${name}: status`, status);
  const reason =
    /No module named \S+|audit \d{3} [^\n]*|[^\n]*rror[^\n]*/.exec(output)?.[0] ?? output;
  return notMeasured(name, 'clean at high', reason.trim());
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

module.exports = { supplyFaults };
