'use strict';

/**
 * The headers of a list alone, as they are sent: Link and X-Total-Count. Each reference is only a query (RFC 3986, 5.3): resolved
 * against the URL of the request, it keeps the path, with the prefix of a proxy and a trailing slash. No header of the request is
 * needed, or trusted.
 * @param {object} list
 * @param {number} [list.page] its number; none of a list after an id, which therefore has no page before it
 * @param {number} list.count
 * @param {string} [list.include] names by comma; encoded here, because readers of Link cut it at commas
 * @param {number | null} list.nextAfter the last id of the page, null when no page follows
 * @param {number} list.total products in the catalog
 */
function listHeaders({ page = 1, count, include = '', nextAfter, total }) {
  const rest = include ? `&count=${count}&include=${include.replaceAll(',', '%2C')}` : `&count=${count}`;
  const lastPage = Math.max(1, Math.ceil(total / count));
  const next = nextAfter === null ? '' : `<?after=${nextAfter}${rest}>; rel="next", `;
  const prev = page === 1 ? '' : `<?page=${Math.min(page - 1, lastPage)}${rest}>; rel="prev", `;
  const [first, last] = [`<?page=1${rest}>; rel="first", `, `<?page=${lastPage}${rest}>; rel="last"`];
  return `Link: ${next}${first}${prev}${last}\r\nX-Total-Count: ${total}\r\n`;
}

exports.listHeaders = listHeaders;
