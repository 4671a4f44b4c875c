import http from 'k6/http';

/** The address that `npm start` prints, or that of a fleet. */
export const baseUrl = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');

/** A request without a reply after this time is an error, and its user is free again. */
const timeout = '10s';

/**
 * A request as a storefront sends it.
 * @param {string} route groups the figures; a million URLs would be a million metrics
 * @param {'text' | 'binary'} [responseType] turning a body into text costs k6 more than hashing its bytes
 */
export const params = (route, responseType = 'text') => ({
  tags: { name: route, route },
  headers: { 'Accept-Encoding': 'gzip' },
  timeout,
  responseType,
});

/** @param {string} path @param {string} route @param {'text' | 'binary'} responseType */
export const get = (path, route, responseType) => http.get(`${baseUrl}${path}`, params(route, responseType));

/** k6 would unpack the body that a head has not. @param {string} path @param {string} route */
export const head = (path, route) =>
  http.head(`${baseUrl}${path}`, { ...params(route), headers: { 'Accept-Encoding': 'identity' } });

/** @param {string} path @param {string} route @param {object} content */
export function post(path, route, content) {
  const { headers, ...more } = params(route);
  const sent = { ...more, headers: { ...headers, 'Content-Type': 'application/json' } };
  return http.post(`${baseUrl}${path}`, JSON.stringify(content), sent);
}

/** A scenario of its own keeps a request out of the figures of the scenario that sends it. */
const beside = { name: 'beside', scenario: 'beside' };

/** @param {string} path @param {string} [base] @returns {any} its JSON; null for a 404, undefined for any other failure */
export function askBeside(path, base = baseUrl) {
  const { status, body } = http.get(`${base}${path}`, { tags: beside, timeout, responseType: 'text' });
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
