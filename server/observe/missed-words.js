'use strict';

const { createHmac, randomBytes } = require('node:crypto');

const { LRUCache } = require('lru-cache');

/** About 300 bytes each. Words that are asked rarely leave first. */
const MAX_WORDS = 2000;
/** A longer word is a part of a text rather than the name of a thing. */
const MAX_CHARACTERS = 64;
const MINUTE_MS = 60_000;

/** @typedef {{ word: string, minutes: number, searches: number, empty: number }} MissedWord `minutes`: different ones with such a search; `empty`: searches that found nothing */
/** @typedef {Omit<MissedWord, 'word'> & { word: string | null, lastMinute: number }} Counted */

/**
 * The words that searches dropped, in the memory of this worker alone. A text is kept from the k-th different minute on; until then the word is a
 * digest with a random key. So what one person typed in one visit is in no list.
 */
class MissedWords {
  /** @type {LRUCache<string, Counted>} by digest */
  #words = new LRUCache({ max: MAX_WORDS });
  #key = randomBytes(16);
  #now;

  /** @param {number} leastMinutes k @param {() => number} [now] milliseconds that only grow */
  constructor(leastMinutes, now = () => performance.now()) {
    this.leastMinutes = leastMinutes;
    this.#now = now;
  }

  /** @param {string} word @param {boolean} isEmpty whether the search found nothing */
  add(word, isEmpty) {
    if (word.length > MAX_CHARACTERS) return;
    const minute = Math.floor(this.#now() / MINUTE_MS);
    const digest = createHmac('sha256', this.#key).update(word).digest('base64url');
    const counted = this.#words.get(digest) ?? { word: null, minutes: 0, searches: 0, empty: 0, lastMinute: -1 };
    if (minute !== counted.lastMinute) counted.minutes += 1;
    counted.lastMinute = minute;
    counted.searches += 1;
    if (isEmpty) counted.empty += 1;
    if (counted.minutes >= this.leastMinutes) counted.word = word;
    this.#words.set(digest, counted);
  }

  /** Those of at least k minutes, most minutes first. @returns {MissedWord[]} */
  get list() {
    return [...this.#words.values()]
      .flatMap(({ word, minutes, searches, empty }) => (word === null ? [] : [{ word, minutes, searches, empty }]))
      .sort((a, b) => b.minutes - a.minutes || b.searches - a.searches);
  }
}

exports.MissedWords = MissedWords;
