'use strict';

/**
 * The Link header of a list. Each reference is only a query (RFC 3986, 5.3): resolved against the URL of the request, it keeps the
 * path, with the prefix of a proxy and a trailing slash. No header of the request is needed, or trusted.
 * @param {{ count: number, nextAfter: number | null }} page nextAfter: the last id of the page, null when no page follows
 */
function listLinks({ count, nextAfter }) {
  const next = nextAfter === null ? '' : `<?after=${nextAfter}&count=${count}>; rel="next", `;
  return `${next}<?page=1&count=${count}>; rel="first"`;
}

exports.listLinks = listLinks;
