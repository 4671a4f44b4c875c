'use strict';
const js = require('@eslint/js');
const { defineConfig, globalIgnores } = require('eslint/config');
const globals = require('globals');

module.exports = defineConfig([
  globalIgnores(['.runtime/', '.state*/', 'results/', 'coverage/', 'nginx/rendered/', 'server/client/example/']),
  js.configs.recommended,
  {
    files: ['**/*.js'],
    languageOptions: { ecmaVersion: 2026, sourceType: 'commonjs', globals: globals.node },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'require-atomic-updates': 'error',
      // A file is cut by meaning; these limits only notice the one that was not cut.
      'max-depth': ['error', 4],
      'max-lines': ['error', { max: 250 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // Browsers load the client without a build.
    files: ['server/client/**/*.js'],
    languageOptions: { sourceType: 'module', globals: globals['shared-node-browser'] },
  },
  {
    files: ['server/browser/docs/**/*.js'],
    languageOptions: { globals: { ...globals.browser, SwaggerUIBundle: 'readonly' } },
  },
  {
    files: ['server/browser/{shop,editor,shared}/**/*.js'],
    languageOptions: { sourceType: 'module', globals: globals.browser },
  },
  {
    files: ['tests/**/*.js'],
    languageOptions: { globals: { ...globals.node, ...globals.jest } },
    rules: { 'max-lines': ['error', { max: 300 }], 'max-lines-per-function': 'off' },
  },
  {
    files: ['tests/server/browser/**/*.js', 'tests/server/client/example.long.test.js', 'tests/helpers/browser.js'],
    languageOptions: { globals: globals.browser }, // of functions that run in the page
  },
  {
    // k6 runs ES modules only, and has its own globals.
    files: ['k6/**/*.js'],
    languageOptions: {
      sourceType: 'module',
      globals: {
        __ENV: 'readonly',
        __VU: 'readonly',
        __ITER: 'readonly',
        open: 'readonly',
        console: 'readonly',
      },
    },
  },
]);
