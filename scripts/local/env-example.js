'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { SETTINGS } = require('../../server/config/settings');
const { root } = require('../lib/runtime');

const heading = `# Settings of one worker, from server/config/settings.js. npm run format writes this file.
# Copy it to .env, change it and run: node --env-file=.env server/index.js`;

/** @returns {string} .env.example: a setting with a default is a comment */
function envExample() {
  const specs = /** @type {Record<string, { desc: string, default?: unknown, choices?: string[] }>} */ (SETTINGS);
  const entries = Object.entries(specs).map(([name, { desc, default: value, choices }]) => {
    const line = value === undefined ? `${name}=` : `# ${name}=${value}`;
    return [`# ${desc}${choices ? ` (${choices.join(', ')})` : ''}`, line].join('\n');
  });
  return `${[heading, ...entries].join('\n\n')}\n`;
}

if (require.main === module) fs.writeFileSync(path.join(root, '.env.example'), envExample());

module.exports = { envExample };
