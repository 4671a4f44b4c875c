'use strict';
const { shown } = require('./text');
/** @import { Results, Row } from './bars' */

/** Of a million figures these say the most: one route where a part measures all of them. */
const pictured = { hot: 'styles', cold: 'styles', mix: 'mix' };
const size = { width: 760, line: 24, head: 34, label: 260, bar: 380, bottom: 12 };

/** Whose figure it is: ours are told from the others by colour and by weight. @param {string} what */
const isOurs = (what) => /^(one worker|through nginx|two workers)/.test(what);

/** Text and bars keep their contrast on white and, where the viewer says so, on black. */
const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .part { font-weight: 600; font-size: 14px }
  .ours { fill: #0a7d55 } .peer { fill: #8c96a3 } .bold { font-weight: 600 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ours { fill: #3fb984 } .peer { fill: #7d8794 } }`;

/** @param {string} text */
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** @param {Row} row @param {number} y @param {number} most */
function barLine({ what, rps = 0 }, y, most) {
  const width = Math.max(1, Math.round((rps / most) * size.bar));
  const mine = isOurs(what);
  const label = escaped(what.replace(/, styles$/, ''));
  const weight = mine ? ' class="bold"' : '';
  const middle = y + 14;
  return [
    `<text${weight} x="${size.label - 10}" y="${middle}" text-anchor="end">${label}</text>`,
    `<rect class="${mine ? 'ours' : 'peer'}" x="${size.label}" y="${y + 1}" width="${width}" height="17" rx="2"/>`,
    `<text${weight} x="${size.label + width + 8}" y="${middle}">${shown(rps)}</text>`,
  ].join('\n');
}

/**
 * @param {Results} results
 * @returns {string} SVG: requests a second of every contestant, longest first, each part on its own scale
 */
function picture({ parts }) {
  let y = 0;
  /** @type {string[]} */
  const drawn = [];
  for (const [name, route] of Object.entries(pictured)) {
    const rows = (parts[name]?.rows ?? [])
      .filter((row) => row.route === route && Number.isFinite(row.rps))
      .sort((a, b) => Number(b.rps) - Number(a.rps));
    if (rows.length === 0) continue;
    const title = name === route ? name : `${name}, ${route}`;
    drawn.push(
      `<text class="part" x="10" y="${y + 23}">${title}: requests a second</text>`,
      ...rows.map((row, index) => barLine(row, y + size.head + index * size.line, Number(rows[0].rps))),
    );
    y += size.head + rows.length * size.line;
  }
  const box = `0 0 ${size.width} ${y + size.bottom}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="${size.width}" role="img" aria-label="requests a second">
<style>${style}
</style>
${drawn.join('\n')}
</svg>
`;
}

module.exports = { picture };
