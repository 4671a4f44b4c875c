'use strict';

const { PROBLEMS, Problem } = require('../../core/errors');
const { KEYED_BY_URL } = require('../../core/policy');
const { cursorIn } = require('../../core/commit-cursor');

/** @typedef {import('express').Request} Request @typedef {import('express').Response} Response */
/** @typedef {(req: Request, res: Response, next: (error?: unknown) => void) => void} Answer */

/** @param {string} url @returns {import('../../catalog/commit-wait').Shown} */
function shownAt(url) {
  const [path, query = ''] = url.split('?', 2);
  if (KEYED_BY_URL.some((each) => path === each || path === `${each}/`)) return 'search';
  if (/^\/skus(?:\/|$)/.test(path)) return 'document'; // as their stamps
  return path.startsWith('/products/') && !query.includes('include') ? 'document' : 'list';
}

/**
 * A request with Catalog-Min-Cursor is answered once the worker has that commit.
 * @param {Answer} answer @param {Pick<import('../../catalog/commit-wait').CommitWait, 'until'>} commits
 * @returns {Answer}
 */
const afterMinCursor = (answer, commits) => (req, res, next) => {
  const text = req.headers['catalog-min-cursor'];
  if (text === undefined) answer(req, res, next);
  else wait(String(text), req.url, commits).then(() => answer(req, res, next), next);
};

/** @param {string} text @param {string} url @param {Pick<import('../../catalog/commit-wait').CommitWait, 'until'>} commits */
async function wait(text, url, commits) {
  const commit = cursorIn(text);
  if (!commit)
    throw new Problem(
      PROBLEMS.malformedRequest,
      'Catalog-Min-Cursor must be a cursor, such as Catalog-Cursor of a write or cursor of a change.',
    );
  await commits.until(commit, shownAt(url));
}

exports.afterMinCursor = afterMinCursor;
