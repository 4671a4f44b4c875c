'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { folder, rulesFolder } = require('../../helpers/monitoring');
const { findPrometheus } = require('../../helpers/prometheus');
const { unless } = require('../../helpers/skip');

const found = findPrometheus();
const able = unless(!found && 'no Prometheus here: apt-get install prometheus prometheus-blackbox-exporter');
const { promtool = '' } = found ?? {};
const ruleFiles = fs.readdirSync(rulesFolder).map((file) => path.join('rules', file));

describe('Prometheus', () => {
  able.test('promtool accepts configuration and rules', () => {
    const run = (/** @type {string[]} */ ...words) => execFileSync(promtool, words, { cwd: folder, encoding: 'utf8' });
    expect(run('check', 'rules', ...ruleFiles)).toMatch(/SUCCESS: \d+ rules found/);
    expect(run('check', 'config', 'prometheus.yml')).toContain('is valid prometheus config');
    expect(run('check', 'config', 'prometheus.yml')).toContain(`${ruleFiles.length} rule files found`);
  });

  able.test('every alert fires on its condition and only then', () => {
    const files = fs.readdirSync(path.join(folder, 'rules-tests')).map((file) => path.join('rules-tests', file));
    const said = execFileSync(promtool, ['test', 'rules', ...files], { cwd: folder, encoding: 'utf8' });
    expect(said.match(/SUCCESS/g)).toHaveLength(files.length);
  });
});
