import http from 'k6/http';

/** Where the requests go: what `npm start` prints, or a whole fleet's address. */
export const baseUrl = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');

/** A random read waits no longer than this for a busy server; then it is an error, and the user frees its place. */
const timeout = '10s';

/**
 * What a storefront sends.
 * @param {string} route that the figures are grouped by; a million urls would be a million metrics
 * @param {'text' | 'binary'} [responseType] to make a text of a body costs k6 more than to hash its bytes
 */
export const params = (route, responseType = 'text') => ({
  tags: { name: route, route },
  headers: { 'Accept-Encoding': 'gzip' },
  timeout,
  responseType,
});

/** @param {string} path @param {string} route @param {'text' | 'binary'} responseType */
export const get = (path, route, responseType) => http.get(`${baseUrl}${path}`, params(route, responseType));

/** A scenario of its own keeps a request out of the figures of the one that sends it. */
const beside = { name: 'beside', scenario: 'beside' };

/** @param {string} path @returns {any} what it says: null of a product that is not there, undefined when it has no answer */
export function askBeside(path) {
  const { status, body } = http.get(`${baseUrl}${path}`, { tags: beside, timeout, responseType: 'text' });
  if (status === 404) return null;
  return status === 200 ? JSON.parse(body) : undefined;
}

/** @param {string[]} paths @returns {any[]} their replies; a reply that is not 200 stops the run */
export function getAll(paths) {
  const replies = http.batch(
    paths.map((path) => ['GET', `${baseUrl}${path}`, null, { tags: { name: 'setup' }, responseType: 'text' }]),
  );
  for (const { status, url, error } of replies) {
    if (status !== 200) {
      throw new Error(`${url} answers ${status || error}: start the service, or set BASE_URL`);
    }
  }
  return replies;
}
