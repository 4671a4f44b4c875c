'use strict';

const { Parser } = require('pg-protocol/dist/parser');

const { Client } = require('./client');

const DATA_ROW = 0x44;
const HEADER_BYTES = 5;

/**
 * Reads the server's side of the protocol like pg's own parser, but leaves the fields of a DataRow as bytes. pg would decode
 * each to a string, which we would encode again. For a page of 10 MB it would also double a buffer until the page fits; here a
 * message that spans reads gets a buffer of its exact size.
 *
 * Format: PostgreSQL documentation, "Message Formats". The path of Parser and the form of its messages are not documented.
 * Checked on pg 8.23.1 and pg-protocol 1.16.1. Byte test: tests/server/store/store.test.js.
 */
class BytesParser {
  #others = new Parser();
  /** @type {Buffer} the start of a message whose end has not arrived */
  #partial = Buffer.alloc(0);
  #filled = 0;

  /** @param {Buffer} chunk @param {(message: any) => void} emit */
  parse(chunk, emit) {
    let at = this.#filled ? this.#resume(chunk, emit) : 0;
    let othersFrom = at;
    while (chunk.length - at >= HEADER_BYTES) {
      const end = at + 1 + chunk.readUInt32BE(at + 1);
      if (end > chunk.length) break;
      if (chunk[at] === DATA_ROW) {
        if (othersFrom < at) this.#others.parse(chunk.subarray(othersFrom, at), emit);
        emit(dataRow(chunk, at));
        othersFrom = end;
      }
      at = end;
    }
    if (othersFrom < at) this.#others.parse(chunk.subarray(othersFrom, at), emit);
    if (at < chunk.length) this.#keep(chunk.subarray(at));
  }

  /** @param {Buffer} start */
  #keep(start) {
    const total = start.length < HEADER_BYTES ? HEADER_BYTES : 1 + start.readUInt32BE(1);
    this.#partial = Buffer.allocUnsafeSlow(total);
    this.#filled = start.copy(this.#partial);
  }

  /** Completes the kept message. @returns {number} how much of the chunk it took */
  #resume(/** @type {Buffer} */ chunk, /** @type {(message: any) => void} */ emit) {
    let taken = this.#take(chunk, 0);
    if (this.#filled === HEADER_BYTES && this.#partial.length === HEADER_BYTES) {
      this.#keep(this.#partial);
      taken += this.#take(chunk, taken);
    }
    if (this.#filled === this.#partial.length && this.#filled >= HEADER_BYTES) {
      const message = this.#partial;
      this.#filled = 0;
      this.#partial = Buffer.alloc(0);
      if (message[0] === DATA_ROW) emit(dataRow(message, 0));
      else this.#others.parse(message, emit);
    }
    return taken;
  }

  /** @param {Buffer} chunk @param {number} from */
  #take(chunk, from) {
    const taken = chunk.copy(this.#partial, this.#filled, from);
    this.#filled += taken;
    return taken;
  }
}

/**
 * Fields are slices of the bytes read: a field that is kept must be copied, or it keeps up to 64 KB alive.
 * @param {Buffer} bytes
 * @param {number} start of the message
 */
function dataRow(bytes, start) {
  const fields = new Array(bytes.readInt16BE(start + HEADER_BYTES));
  let at = start + HEADER_BYTES + 2;
  for (let index = 0; index < fields.length; index += 1) {
    const length = bytes.readInt32BE(at);
    at += 4;
    fields[index] = length < 0 ? null : bytes.subarray(at, at + length);
    at += Math.max(length, 0);
  }
  return { name: 'dataRow', fields };
}

/** A client with BytesParser instead of pg's parser. Only for queries that take raw fields. */
class BytesClient extends Client {
  /** @param {import('pg').ClientConfig & { pipeline?: boolean, unprepared?: boolean }} config */
  constructor(config) {
    super(config, new BytesParser());
    // A pooler gives each transaction another server connection, which has none of our statements.
    /** @type {any} */ (this).connection.unprepared = config.unprepared;
  }
}

exports.BytesClient = BytesClient;
exports.BytesParser = BytesParser;
