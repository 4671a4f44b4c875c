'use strict';

const { join } = require('node:path');

// Not the package itself, which would load the whole user interface into the worker.
// @ts-expect-error the package has no types
const absolutePath = require('swagger-ui-dist/absolute-path');

const { describeFields } = require('../replies/described-fields');
const { llmsText } = require('../replies/llms-text');
const { servesFiles } = require('../replies/files');

const swaggerUi = (/** @type {string} */ name) => ({ file: join(absolutePath(), name) });
const page = (/** @type {string} */ name) => ({ file: join(__dirname, '../../browser/docs', name) });

/** The page's files are beside it when its own path ends with a slash. @param {string} text */
const below = (text) => text.replaceAll('"docs/', '"');

/**
 * GET /openapi.json, /llms.txt, /docs and what the page loads. All files are local, and the links of the page are relative, so it works behind a
 * path prefix.
 */
const docs = servesFiles('docs', () => ({
  '/openapi.json': { file: join(__dirname, '../../openapi.json'), change: describeFields, hasFields: true },
  '/llms.txt': { file: join(__dirname, '../../openapi.json'), change: llmsText, type: 'txt' },
  '/docs': page('index.html'),
  '/docs/': { ...page('index.html'), change: below },
  '/docs/init.js': page('init.js'),
  '/docs/swagger-ui.css': swaggerUi('swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': swaggerUi('swagger-ui-bundle.js'),
}));

exports.docs = docs;
