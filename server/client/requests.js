/** Their values are one list by comma. Other names are repeated, because a category may have a comma. */
const BY_COMMA = ['ids', 'include', 'facets'];
/** All digits of a number, and no exponent. */
const DIGITS = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 21 });

/** @param {unknown} url of a service @returns {string} without a slash at its end */
export function baseOf(url) {
  const text = url == null ? '' : (/** @type {URL} */ (url).href ?? url);
  if (typeof text !== 'string' || /[?#]/.test(text))
    throw new TypeError(`url must be a text or a URL without ? and #, and not ${shown(url)}.`);
  return text.replace(/\/+$/, '');
}

/** @param {Record<string, unknown>} params those that are not asked are left out @returns {string} empty without parameters */
export function queryOf(params) {
  const pairs = Object.entries(params).flatMap(([name, value]) => {
    const values = textsOf(name, value).map(encoded);
    const sent = BY_COMMA.includes(name) && values.length > 0 ? [values.join()] : values;
    return sent.map((each) => `${encodeURIComponent(name)}=${each}`);
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** @param {unknown} value of a parameter, or inside its list */
export const isAsked = (value) => value !== undefined && value !== null && value !== '' && value !== false;

/**
 * @param {string} name of a parameter @param {unknown} value one or a list
 * @returns {string[]} as they are sent; none: it is not asked
 * @throws {TypeError} for what has no one text
 */
export function textsOf(name, value) {
  return [value]
    .flat()
    .filter(isAsked)
    .map((each) => {
      if (typeof each === 'string') return each;
      if (each === true) return 'true';
      if (typeof each === 'number' && Number.isFinite(each)) return DIGITS.format(each + 0); // -0 would have a sign
      throw new TypeError(
        `${name} must be a text, a finite number, a boolean or a list of these, and not ${shown(each)}.`,
      );
    });
}

/** @param {unknown} value */
const shown = (value) =>
  ['string', 'number'].includes(typeof value) ? String(value) : Object.prototype.toString.call(value).slice(8, -1);

/** @param {string} text @returns {string} half a pair of UTF-16 has no encoding */
export const encoded = (text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
