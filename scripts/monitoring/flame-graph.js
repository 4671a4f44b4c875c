'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');
/** @import { Frame } from './fold' */

/** In the order in which they need each other. Inlined: the page must open years later, offline. */
const libraries = [
  ...['array', 'color', 'dispatch', 'ease', 'format', 'hierarchy', 'interpolate', 'selection'],
  ...['time', 'time-format', 'timer', 'scale', 'transition'],
].map((name) => `d3-${name}/dist/d3-${name}.min.js`);
libraries.push('d3-flame-graph/dist/d3-flamegraph.umd.min.js');

/** @param {string} name */
const library = (name) => fs.readFileSync(path.join(root, 'node_modules', name), 'utf8');

/** Text that may stand inside a script element. @param {unknown} value */
const embedded = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');

/**
 * One HTML file: widths are time, a frame stands on its caller. A click zooms, the field finds.
 * @param {Frame} tree
 * @param {string} title
 * @returns {string}
 */
function flameGraph(tree, title) {
  // Waiting is most of a worker's life and nothing to look at.
  const busy = tree.children.filter(({ name }) => name !== '(idle)');
  const value = busy.reduce((sum, child) => sum + child.value, 0);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<style>
  body { font: 14px system-ui, sans-serif; margin: 1rem; }
  header { display: flex; gap: 1rem; align-items: baseline; flex-wrap: wrap; }
  h1 { font-size: 1rem; margin: 0; }
  #detail { min-height: 1.4em; color: #444; }
  #graph .d3-flame-graph-label { font-family: system-ui, sans-serif; }
</style>
<header>
  <h1>${title}</h1>
  <input id="search" type="search" placeholder="find a function or file" aria-label="find">
  <button id="reset">whole graph</button>
</header>
<p id="detail"></p>
<div id="graph"></div>
${libraries.map((name) => `<script>${library(name)}</script>`).join('\n')}
<script>
  const tree = ${embedded({ name: 'all', value, children: busy })};
  const ms = (node) => node.value.toFixed(1) + ' ms, ' + ((100 * node.value) / tree.value).toFixed(1) + ' %';
  const graph = flamegraph.default()
    .width(Math.max(600, innerWidth - 32)).cellHeight(18).minFrameSize(2).transitionDuration(0)
    .label((node) => node.data.name + ': ' + ms(node))
    .setDetailsElement(document.getElementById('detail'));
  d3.select('#graph').datum(tree).call(graph);
  document.getElementById('search').oninput = (event) => graph.search(event.target.value);
  document.getElementById('reset').onclick = () => graph.resetZoom();
</script>
</html>
`;
}

module.exports = { flameGraph };
