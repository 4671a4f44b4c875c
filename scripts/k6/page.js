'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { drawingOf } = require('./charts');
const { tests } = require('./commands');
const { circumstances, figureTable, findings, moment } = require('./markdown');

/** @param {string} name */
const part = (name) => fs.readFileSync(path.join(__dirname, 'report', name), 'utf8');

/** @param {string} name of a file of the plotting library */
const library = (name) => fs.readFileSync(path.join(path.dirname(require.resolve('uplot')), name), 'utf8');

/** @type {Record<string, string>} */
const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** @param {string} text */
const escape = (text) => text.replace(/[&<>"]/g, (character) => entities[character]);

/** @param {string[]} lines @param {string} className */
const listOf = (lines, className) =>
  lines.length === 0 ? '' : `<ul class="${className}">${lines.map((line) => `<li>${escape(line)}</li>`).join('')}</ul>`;

/** @param {ReturnType<typeof figureTable>} figures */
function tableOf({ heads, rows }) {
  const head = heads.map((text) => `<th scope="col">${escape(text)}</th>`).join('');
  const body = rows.map(({ cells, before, ok }) => {
    const [name, ...others] = cells.map(
      (cell, n) => escape(cell) + (before[n] ? ` <small>(${before[n]})</small>` : ''),
    );
    const rest = others.map((cell) => `<td>${cell}</td>`).join('');
    return `<tr${ok ? '' : ' class="failed"'}><th scope="row">${name}</th>${rest}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}

/** A script element ends at the first `</`, wherever it stands. @param {unknown} value */
const embedded = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');

/**
 * One file that needs no network: texts and table stand in it, the charts are drawn when it is opened.
 * @param {import('./model').Run} run
 * @param {import('./charts').Recording} recording
 * @param {import('./model').Run} [previous]
 * @returns {string} HTML
 */
function page(run, recording, previous) {
  const drawing = drawingOf(run, recording, tests[run.test]?.atOnce ?? false);
  /** @type {Record<string, string>} */
  const values = {
    title: escape(`${run.test} ${run.started.slice(0, 16).replace('T', ' ')}`),
    test: escape(run.test),
    question: escape(run.question),
    verdict: run.ok ? 'held' : 'failed',
    circumstances: escape(circumstances(run)),
    reasons: listOf(run.reasons, 'reasons'),
    findings: listOf(
      findings(run).map((line) => line.replace(/^- /, '')),
      'findings',
    ),
    table: tableOf(figureTable(run, previous)),
    before: previous ? `In brackets: the run before, of ${moment(previous)}.` : '',
    // Whole elements: what stands inside one would be laid out as code by the formatter.
    style: `<style>${library('uPlot.min.css')}\n${part('page.css')}</style>`,
    data: `<script type="application/json" id="data">${embedded(drawing)}</script>`,
    script: `<script>${library('uPlot.iife.min.js')}\n${part('browser.js')}</script>`,
  };
  return part('page.html').replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

module.exports = { page };
