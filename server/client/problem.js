/** @typedef {import('./catalog.d.ts').CatalogProblem} Described */

const URN = /^urn:catalog:problem:([a-z-]+)$/;

/**
 * A reply that is not a success, or not JSON. A request that got no reply rejects with the error of fetch instead.
 * @implements {Described}
 */
export class CatalogProblem extends Error {
  /** @param {import('./catalog.d.ts').ProblemFields} fields */
  constructor({ status, detail, slug = null, retryAfter = null, instance = null, errors = [], members = {} }) {
    super(`${detail} (${slug ? `${status} ${slug}` : status})`);
    this.name = 'CatalogProblem';
    this.status = status;
    this.detail = detail;
    this.slug = slug;
    this.retryAfter = retryAfter;
    this.instance = instance;
    this.errors = errors;
    this.members = members;
  }
}

/** @param {Response} response whose status is not a success @returns {Promise<CatalogProblem>} */
export async function problemOf(response) {
  const { status } = response;
  const retryAfter = secondsOf(response.headers.get('Retry-After'));
  const detail = 'The reply is not from the catalog: a proxy sent it.';
  return (
    toProblem(parsed(await response.text()), status, retryAfter) ?? new CatalogProblem({ status, retryAfter, detail })
  );
}

/** @param {any} body of RFC 9457 @param {number} status @param {number | null} retryAfter @returns {CatalogProblem | null} null: the catalog did not make it */
export function toProblem(body, status, retryAfter) {
  const slug = URN.exec(body?.type ?? '')?.[1];
  if (!slug) return null;
  const { type: _type, title: _title, status: _status, detail, instance, errors, ...members } = body;
  return new CatalogProblem({ status, detail, slug, retryAfter, instance, errors, members });
}

/** @param {Response} response @returns {Promise<any>} its JSON @throws {CatalogProblem} a page of a proxy that has status 200 */
export async function jsonOf(response) {
  const body = parsed(await response.text());
  if (body === undefined) throw new CatalogProblem({ status: response.status, detail: 'The reply is not JSON.' });
  return body;
}

/** @param {string} text @returns {any} undefined when it is not JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {string | null} retryAfter a number, or the date that proxies may send */
function secondsOf(retryAfter) {
  if (!retryAfter) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
}
