'use strict';

/** Execute the portal without a limit of rows, then Sync. */
const EXECUTE_AND_SYNC = 'E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04';

/** The rest of a Bind beside name and values: length, two ends of string (the portal has no name), two counts, result format. */
const FIXED_BYTES = 4 + 1 + 1 + 2 + 2 + 4;

/** Text format, as a code; a result has one code for all of its fields. */
const TEXT = '\0\0';
const ALL_TEXT = '\0\x01\0\0';
const ALL_BINARY = '\0\x01\0\x01';

/**
 * The three messages that run a prepared statement, as one string with one character a
 * byte: three Buffers and three writes a query cost more.
 *
 * Format: PostgreSQL documentation, "Message Formats", Bind. Checked on pg 8.23.1. Byte test: tests/server/store/store.test.js.
 * @param {string} name of the statement, ASCII
 * @param {(number | string)[]} values numbers, or strings in ASCII
 * @param {boolean} [isBinary] result: bytea in text format is twice as long
 */
function bindAndRun(name, values, isBinary = false) {
  let parameters = '';
  for (const value of values) {
    const text = String(value);
    parameters += int32(text.length) + text;
  }
  const formats = TEXT.repeat(values.length);
  const count = int16(values.length);
  const length = int32(FIXED_BYTES + name.length + formats.length + parameters.length);
  return `B${length}\0${name}\0${count}${formats}${count}${parameters}${isBinary ? ALL_BINARY : ALL_TEXT}${EXECUTE_AND_SYNC}`;
}

/** @param {number} value below 65536 */
const int16 = (value) => String.fromCharCode(value >>> 8, value & 255);

/** @param {number} value below 2 ** 31 */
const int32 = (value) => (value < 65_536 ? `\0\0${int16(value)}` : `${int16(value >>> 16)}${int16(value & 65_535)}`);

exports.bindAndRun = bindAndRun;
