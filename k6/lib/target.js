import http from 'k6/http';

/** Where the requests go: what `npm start` prints, or a whole fleet's address. */
export const baseUrl = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');

/** A random read waits no longer than this for a busy server; then it is an error, and the user frees its place. */
const timeout = '10s';

/**
 * What a storefront sends.
 * @param {string} route that the figures are grouped by; a million urls would be a million metrics
 */
export const params = (route) => ({
  tags: { name: route, route },
  headers: { 'Accept-Encoding': 'gzip' },
  timeout,
});

/** @param {string} path @param {string} route */
export const get = (path, route) => http.get(`${baseUrl}${path}`, params(route));

/** @param {string[]} paths @returns {any[]} their replies; a reply that is not 200 stops the run */
export function getAll(paths) {
  const replies = http.batch(paths.map((path) => ['GET', `${baseUrl}${path}`, null, { tags: { name: 'setup' } }]));
  for (const { status, url, error } of replies) {
    if (status !== 200) {
      throw new Error(`${url} answers ${status || error}: start the service, or set BASE_URL`);
    }
  }
  return replies;
}
