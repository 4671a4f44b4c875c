/*
 * Numbers of fields have more digits than JavaScript keeps. One that it would print otherwise stays as it is written.
 */

/** Without it, as in browsers of before 2025, numbers are rounded. @type {((text: string) => object) | undefined} */
const rawJson = /** @type {any} */ (JSON).rawJSON;

/** @param {string} text @returns {any} */
export const parseExact = (text) =>
  JSON.parse(
    text,
    /** @type {(key: string, value: any, context?: { source?: string }) => any} */ (
      (_, value, context) => {
        const source = context?.source;
        const isRounded = typeof value === 'number' && source !== undefined && String(value) !== source;
        return isRounded && rawJson ? rawJson(source) : value;
      }
    ),
  );

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** A text that is no number goes to the writer as it is, which says what is wrong. @param {string} text @returns {any} */
export const numberIn = (text) => (NUMBER.test(text) ? parseExact(text) : text);

/** @param {any} number of `parseExact` @returns {string} */
export const digitsOf = (number) => (typeof number === 'object' ? number.rawJSON : String(number));
