'use strict';

const { invalidBody } = require('../errors');

/** @typedef {{ hidden: boolean, hides: Date | null, shows: Date | null }} Visibility of a product: now, and what happens next, if anything */
/** @typedef {{ from?: string | null, until?: string | null }} Times of a request */

/** @type {Visibility} */
const SHOWN = { hidden: false, hides: null, shows: null };

/** An ISO 8601 time with its zone. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;
const NO_TIME = 'is no ISO 8601 time with a zone, such as "2026-12-24T18:00:00+01:00".';

/** A day that its month does not have is none. @param {string} text */
function isTime(text) {
  const [, start, seconds = ':00', zone] = TIME.exec(text) ?? [];
  if (!start || Number.isNaN(Date.parse(start + seconds + zone))) return false;
  return new Date(`${start}Z`).toISOString().startsWith(start);
}

/** @param {Times} times @param {'from' | 'until'} name @param {Date} now @returns {Date | null} */
function timeOf(times, name, now) {
  const text = times[name];
  if (!text) return null;
  const time = new Date(text);
  if (time > now) return time;
  throw invalidBody([{ pointer: `/${name}`, detail: `is not in the future: the database has ${now.toISOString()}.` }]);
}

/** The state after all that was planned up to a time. @param {Visibility} state @param {Date} now @returns {Visibility} */
function settled({ hidden, hides, shows }, now) {
  const [mustHide, mustShow] = [hides !== null && hides <= now, shows !== null && shows <= now];
  if (!mustHide && !mustShow) return { hidden, hides, shows };
  const isLaterHidden = mustHide && (!mustShow || /** @type {Date} */ (hides) > /** @type {Date} */ (shows));
  return { hidden: isLaterHidden, hides: mustHide ? null : hides, shows: mustShow ? null : shows };
}

/**
 * The state that a request makes of it. Up to `from` the product stays as it is; after `until` it is the opposite. What was planned before is forgotten.
 * @param {Visibility} state @param {'hide' | 'publish'} kind @param {Times} times valid @param {Date} now of the database
 * @returns {Visibility}
 * @throws {import('../../core/errors').Problem} 422
 */
function planned(state, kind, times, now) {
  const [from, until] = [timeOf(times, 'from', now), timeOf(times, 'until', now)];
  if (from && until && from >= until) throw invalidBody([{ pointer: '/until', detail: 'is not after from.' }]);
  const { hidden } = settled(state, now);
  const hides = kind === 'hide';
  // A product that is so already needs no event for it.
  const first = hidden === hides ? null : from;
  const next = first ? hidden : hides;
  return hides ? { hidden: next, hides: first, shows: until } : { hidden: next, hides: until, shows: first };
}

/** @param {Visibility} one @param {Visibility} other */
const isSame = (one, other) =>
  one.hidden === other.hidden && Number(one.hides) === Number(other.hides) && Number(one.shows) === Number(other.shows);

/** @param {number} id @param {Visibility} state @returns {string} as clients read it */
const visibilityText = (id, { hidden, hides, shows }) => JSON.stringify({ id, hidden, from: hides, until: shows });

exports.NO_TIME = NO_TIME;
exports.SHOWN = SHOWN;
exports.isSame = isSame;
exports.isTime = isTime;
exports.planned = planned;
exports.settled = settled;
exports.visibilityText = visibilityText;
