import { h } from '../shared/dom.js';
import { marked } from './marked.js';
import { moment, range } from './written.js';

/** @typedef {import('../../client/catalog.js').SearchField} Field @typedef {import('../../client/catalog.js').FieldValue} FieldValue */

const DAY_LENGTH = 10;

/** @param {string | boolean} value */
const flag = (value) => (String(value) === 'true' ? 'Yes' : 'No');

/** A value of a field, with what matched marked. @param {FieldValue} value @param {import('./marked.js').Words} [words] @returns {(Node | string)[]} */
export function valueNodes(value, words = []) {
  const texts = Array.isArray(value) ? value : [typeof value === 'boolean' ? flag(value) : moment(String(value))];
  return texts.flatMap((text, index) => [index > 0 ? ', ' : '', h('bdi', {}, ...marked(text, words))]);
}

/** Searches find ranges of such a field. @param {Field | undefined} field */
const isRange = (field) => field?.type === 'number' || field?.type === 'date';

/** Days, where they tell the ends apart. @param {string | null} from @param {string | null} to */
function rangeOfDates(from, to) {
  const [first, last] = [from, to].map((bound) => bound?.slice(0, DAY_LENGTH));
  return range(from, to, first === last ? moment : (date) => date.slice(0, DAY_LENGTH));
}

/** @param {Field['type']} type @param {string | null} from @param {string | null} to */
export const rangeText = (type, from, to) =>
  type === 'date' ? rangeOfDates(from, to) : range(from, to, (value) => value);

/** The value of a filter, behind its title. @param {Field | undefined} field undefined: it is none of a field @param {string} value @returns {string} */
export function filterText(field, value) {
  if (field?.type === 'boolean') return flag(value);
  if (!isRange(field)) return value;
  const [from, to = from] = value.split('..');
  return rangeText(/** @type {Field} */ (field).type, from, to).replace(/^(From|Up)/, (word) => word.toLowerCase());
}
