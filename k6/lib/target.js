import http from 'k6/http';

/** Where the requests go: what `npm start` prints, or a whole fleet's address. */
export const baseUrl = (__ENV.BASE_URL || 'http://127.0.0.1:8080').replace(/\/$/, '');

/**
 * @param {string} path
 * @param {string} route name that the figures are grouped by; a million urls would be a million metrics
 */
export function get(path, route) {
  return http.get(`${baseUrl}${path}`, {
    tags: { name: route },
    headers: { 'Accept-Encoding': 'gzip' },
  });
}

/** @param {string} path @returns {any} the body; stops the run when the service does not answer with 200 */
export function getJson(path) {
  const response = http.get(`${baseUrl}${path}`, { tags: { name: 'setup' } });
  if (response.status !== 200) {
    throw new Error(
      `${baseUrl}${path} answers ${response.status}: start the service, or set BASE_URL`,
    );
  }
  return response.json();
}
