'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { describeState } = require('../../scripts/local/state');

const folder = path.join(__dirname, '../../scripts/monitoring');
const rulesFolder = path.join(folder, 'rules');

/** Words of PromQL, and labels, that look like names of metrics. */
const METRIC = /\b(?:catalog_|catalog:|process_|nodejs_|probe_)[a-z0-9_:]+\b|\bup\b/g;

/** Grafana's own function, for the values of a variable. */
const LABEL_VALUES = /^label_values\((.+), (\w+)\)$/;

/** @typedef {{ name: string, kind: 'alert' | 'record', expr: string, runbook: string }} Rule */

/**
 * Reads rule files, which have one line for each key.
 * @param {string[]} [files] of rules/, by default all @returns {Rule[]}
 */
function rules(files = fs.readdirSync(rulesFolder)) {
  const text = files.map((file) => fs.readFileSync(path.join(rulesFolder, file), 'utf8')).join('\n');
  return text
    .split(/^ +- (?=alert:|record:)/m)
    .slice(1)
    .map((block) => ({
      kind: /** @type {Rule['kind']} */ (/^(\w+):/.exec(block)?.[1]),
      name: /^\w+: (.+)$/m.exec(block)?.[1] ?? '',
      expr: /^ *expr: (.+)$/m.exec(block)?.[1] ?? '',
      runbook: /runbook: ([\w-]+)/.exec(block)?.[1] ?? '',
    }));
}

/** @returns {{ title: string, expr: string }[]} every query of the dashboard, Grafana's variables filled in */
function dashboardQueries() {
  const text = fs.readFileSync(path.join(folder, 'dashboard.json'), 'utf8');
  const { panels, annotations, templating } = JSON.parse(text);
  const all = panels.flatMap((/** @type {any} */ { title, targets = [] }) =>
    targets.map((/** @type {any} */ { expr }) => ({ title, expr })),
  );
  for (const { name, expr } of annotations.list) all.push({ title: name, expr });
  for (const { name, type, query } of templating.list)
    if (type === 'query') all.push({ title: name, expr: query.replace(LABEL_VALUES, 'count by ($2) ($1)') });
  return all.map((/** @type {{ title: string, expr: string }} */ { title, expr }) => ({
    title,
    expr: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
  }));
}

/** @param {string} expr @returns {string[]} */
const metricsIn = (expr) => [...new Set(expr.replace(/"[^"]*"/g, '').match(METRIC) ?? [])];

/** @param {{ adminPorts: number[], writePorts?: number[] }} ports of a stack @returns {object[]} what npm run monitor prints of it */
function printedTargets(ports) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'targets-'));
  fs.writeFileSync(describeState(dir).stack, JSON.stringify({ pid: process.pid, ...ports }));
  const command = [path.join(folder, '../monitor.js'), 'targets', '--state', dir];
  const printed = execFileSync(process.execPath, command, { encoding: 'utf8', timeout: 10_000 });
  fs.rmSync(dir, { recursive: true });
  return JSON.parse(printed);
}

module.exports = { dashboardQueries, folder, metricsIn, printedTargets, rules, rulesFolder };
