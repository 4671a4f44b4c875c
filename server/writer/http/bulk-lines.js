'use strict';

const { randomBytes } = require('node:crypto');

const { cursorIn } = require('../../core/commit-cursor');
const { PROBLEMS, Problem, unavailable } = require('../../core/errors');
const { problemBody, toProblem } = require('../../http/replies/problem');
const { asLast } = require('../../http/listener/request-body');
const { requestId } = require('../../http/replies/request-id');
const { invalidBody, malformedRequest } = require('../errors');
const { contentIn, mayHaveFields } = require('./content-body');
const { fingerprintOf, withAllNeeded } = require('./write-headers');

/** @typedef {import('../writes/types').Write} Write @typedef {import('../writes/types').Reply} Reply */
/** @typedef {{ number: number, id: number | null, reply: Reply } | { number: number, problem: Problem }} Answer */

/** The era does not change during a request. @param {string} cursor */
const seqOf = (cursor) => cursorIn(cursor)?.seq ?? 0;

/** The errors of a body, as errors of the line that has it. @param {unknown} problem */
function inLine(problem) {
  if (!(problem instanceof Problem)) return problem;
  const { errors } = /** @type {{ errors?: import('../errors').BodyError[] }} */ (problem.members);
  return errors ? invalidBody(errors.map(({ pointer, detail }) => ({ pointer: `/body${pointer}`, detail }))) : problem;
}

/** The lines of a bulk request, and what became of them. */
class BulkLines {
  #parts;
  #req;
  #who;
  #key;
  /** The number of the last line that was read. */
  #number = 0;
  #blank = 0;
  #failed = 0;
  #cursor = '';
  /** @type {Map<number, Promise<unknown>>} the last line under way of each product */
  #last = new Map();
  /** The line before, once one was refused for its fields. @type {Promise<unknown> | null} */
  #looked = null;
  /** A line was not written for a reason that passes: further ones might be of its product. */
  #isStopped = false;
  /** Tells what this request has stored from what an earlier one with the same key has. */
  #mark = randomBytes(8).toString('hex');
  /** The beginnings of fingerprints, by the number of the line. */
  #seen = new Uint32Array(1024);
  /** The last line of the reply was shown. */
  isOver = false;

  /**
   * @param {object} request
   * @param {import('../routes').Parts} request.parts
   * @param {import('express').Request} request.req
   * @param {Write['who']} request.who
   * @param {string} request.key its Idempotency-Key
   */
  constructor({ parts, req, who, key }) {
    this.#parts = parts;
    this.#req = req;
    this.#who = who;
    this.#key = key;
  }

  /** The next line is blank: no write, but the lines behind it keep the numbers that they have in the file. */
  skip = () => {
    this.#number += 1;
    this.#blank += 1;
  };

  /** @param {Buffer} bytes of the next line @returns {Promise<Answer>} */
  async write(bytes) {
    const number = (this.#number += 1);
    try {
      const write = await this.#read(bytes, number);
      return { number, id: write.id, reply: await this.#inTurn(write) };
    } catch (error) {
      return { number, problem: this.#known(error) };
    }
  }

  /** @param {Answer} answer @returns {string} its line; that of a 503 is the last */
  shown(answer) {
    const { number } = answer;
    if ('problem' in answer) {
      this.#failed += 1;
      return answer.problem.status === 503
        ? this.#lastLine(number, answer.problem)
        : this.#problemLine(number, answer.problem);
    }
    const { status, headers, body } = answer.reply;
    const { ETag: etag, 'Catalog-Cursor': cursor } = headers;
    if (!this.#cursor || seqOf(cursor) > seqOf(this.#cursor)) this.#cursor = cursor;
    const id = answer.id ?? JSON.parse(body).id;
    return `${JSON.stringify({ line: number, status, id, etag, cursor })}\n`;
  }

  /** @returns {string} the last line: without it, the reply was cut */
  end() {
    const [lines, failed, cursor] = [this.#number - this.#blank, this.#failed, this.#cursor || null];
    return `${JSON.stringify({ done: true, lines, failed, cursor })}\n`;
  }

  /** @param {unknown} error of the line that could not be read @returns {string} the last line of a reply that is cut */
  givenUp(error) {
    const problem = this.#req.errored
      ? malformedRequest('The connection ended before the body did.')
      : this.#known(error);
    return this.#lastLine(this.#number + 1, problem);
  }

  /** @param {number} number @param {Problem} problem */
  #lastLine(number, problem) {
    this.isOver = true;
    return this.#problemLine(number, asLast(this.#req, problem));
  }

  /** @param {number} number @param {Problem} problem */
  #problemLine(number, problem) {
    return `{"line":${number},"status":${problem.status},"problem":${problemBody(problem, requestId(this.#req))}}\n`;
  }

  /**
   * A load may have been served since its declaration was read. So the first refusal of fields waits for another look, and lines behind it
   * wait for it, as those of a product have an order. A line that waits is a copy: the next one overwrites these bytes.
   * @param {Buffer} bytes @param {number} number @returns {Write | Promise<Write>}
   */
  #read(bytes, number) {
    if (!this.#looked)
      try {
        return this.#writeOf(bytes, number);
      } catch (problem) {
        if (!mayHaveFields(bytes)) throw problem;
        this.#looked = this.#parts.database.readLoad().catch(() => {});
      }
    const copy = Buffer.from(bytes);
    const write = this.#looked.then(() => this.#writeOf(copy, number));
    this.#looked = write.catch(() => {});
    return write;
  }

  /** @param {Buffer} bytes @param {number} number @returns {Write} */
  #writeOf(bytes, number) {
    const line = contentIn(this.#parts.database.load.rules, 'line', bytes);
    const fingerprint = fingerprintOf('POST /bulk', bytes);
    return withAllNeeded({
      kind: line.op,
      id: line.id ?? null,
      body: line.body ?? null,
      size: bytes.length,
      ifMatch: line.if_match,
      ifDeleted: line.if_none_match !== undefined,
      who: this.#who,
      bulk: this,
      idempotency: { key: `${this.#key}/${number}`, fingerprint },
      content: this.#contentOf(number, fingerprint),
    });
  }

  /**
   * A request that is sent again with a line more or less has its lines under other numbers, and would do them twice. So each line that is
   * done is also stored under its bytes. Lines of one request may have the same bytes.
   * @param {number} number @param {string} fingerprint @returns {NonNullable<Write['content']>}
   */
  #contentOf(number, fingerprint) {
    if (number >= this.#seen.length) {
      const grown = new Uint32Array(2 * number);
      grown.set(this.#seen);
      this.#seen = grown;
    }
    const seen = parseInt(fingerprint.slice(0, 8), 16);
    this.#seen[number] = seen;
    return {
      key: `${this.#key}#${fingerprint}`,
      fingerprint: this.#mark + number.toString(16).padStart(16, '0'),
      lineOf: (stored) => {
        const other = parseInt(stored.slice(16), 16);
        return stored.startsWith(this.#mark) || this.#seen[other] === seen ? null : other;
      },
    };
  }

  /** After the line before of its product. @param {Write} write @returns {Promise<Reply>} */
  async #inTurn(write) {
    const { id } = write;
    const before = id === null ? undefined : this.#last.get(id);
    const written = before ? before.then(() => this.#add(write)) : this.#add(write);
    if (id === null) return written;
    const over = written.catch(() => {});
    this.#last.set(id, over);
    return written.finally(() => {
      if (this.#last.get(id) === over) this.#last.delete(id);
    });
  }

  /** @param {Write} write @returns {Promise<Reply>} */
  async #add(write) {
    if (this.#isStopped) throw unavailable('A line before this one could not be written.');
    return this.#parts.add(write).catch((error) => {
      if (toProblem(error).status === 503) this.#isStopped = true;
      throw inLine(error);
    });
  }

  /** @param {unknown} error */
  #known(error) {
    const problem = toProblem(error);
    if (problem.kind === PROBLEMS.internal)
      this.#parts.events.emit('handlerFailed', error, requestId(this.#req), '/bulk');
    if (problem.status === 503) this.#parts.events.emit('shed', problem.kind.slug, problem);
    return problem;
  }
}

exports.BulkLines = BulkLines;
