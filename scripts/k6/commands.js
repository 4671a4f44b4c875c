'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../lib/runtime');

/**
 * What `npm run k6` can do. `needs` names the options of a test beyond the common ones; `atOnce`: its
 * steps run at the same time.
 * @type {Record<string, { needs: string[], atOnce?: boolean }>}
 */
const tests = {
  smoke: { needs: ['rate', 'duration'], atOnce: true },
  ladder: { needs: ['route', 'rates', 'duration', 'budget'] },
  breakpoint: { needs: ['route', 'budget'] },
  mix: { needs: ['rate', 'duration', 'budget'] },
  spike: { needs: ['rate', 'duration', 'budget'] },
  soak: { needs: ['rate', 'duration', 'budget'] },
  burst: { needs: ['rounds'] },
};

/** @param {string} name */
const scriptOf = (name) => path.join(root, 'k6', `${name}.js`);

/** @param {string} name @returns {string} the question that its file opens with */
function questionOf(name) {
  const text = fs.readFileSync(scriptOf(name), 'utf8');
  const [, question] = /^\/\*\*\s+\* ([^?]*\?)/.exec(text) ?? [];
  if (!question) throw new Error(`k6/${name}.js does not open with a question`);
  return question.replace(/\n \* /g, ' ');
}

module.exports = { questionOf, scriptOf, tests };
