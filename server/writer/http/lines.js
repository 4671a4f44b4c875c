'use strict';

const { PROBLEMS } = require('../../core/errors');
const { unread } = require('../../http/listener/request-body');
const { MAX_BYTES } = require('./body');
const { GrowingBytes } = require('./growing-bytes');

const [NEWLINE, OPEN_OBJECT] = Buffer.from('\n{');
/** A byte order mark may be before the first line. */
const BLANK = /^(?:\xef\xbb\xbf)?[\t\r ]*$/;

/** @param {Buffer} line */
const isBlank = (line) => line.length === 0 || (line[0] !== OPEN_OBJECT && BLANK.test(line.toString('latin1')));

/**
 * The lines of a body, without their ends and without blank ones. One that the connection cuts is not among them.
 * @param {import('node:http').IncomingMessage} req
 * @param {() => void} skip called for each blank line, before the next is read
 * @returns {AsyncGenerator<Buffer, void>} each is valid until the next is read
 * @throws {import('../../core/errors').Problem} 413 for a line that is too long
 */
async function* linesOf(req, skip) {
  const line = new GrowingBytes();
  const add = (/** @type {Buffer} */ piece) => {
    if (line.length + piece.length > MAX_BYTES)
      throw unread(req, PROBLEMS.contentTooLarge, `The line is longer than ${MAX_BYTES} bytes.`);
    line.add(piece);
  };
  // The default would destroy the connection with an early end, and the rest of the reply could not be sent.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      const whole = line.take();
      if (isBlank(whole)) skip();
      else yield whole;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  const last = line.take();
  if (!isBlank(last)) yield last;
}

/**
 * Works on several items at once, and yields the results in the order of the items.
 * @template T, U
 * @param {AsyncIterator<T, void>} items
 * @param {(item: T) => Promise<U>} work never fails, and has read the item when it returns
 * @param {(item: T) => number} sizeOf
 * @param {{ items: number, size: number }} most under way, or one item
 * @returns {AsyncGenerator<U, void>} its end waits for all work
 * @throws what reading an item throws, behind the results of those before it
 */
async function* inOrder(items, work, sizeOf, most) {
  /** @typedef {{ item?: IteratorResult<T, void>, error?: unknown, result?: U }} Event */
  /** @type {{ done: Promise<Event>, size: number }[]} */
  const underWay = [];
  let [size, isRead] = [0, false];
  /** @type {unknown} */
  let failure;
  /** @returns {Promise<Event>} */
  const read = () =>
    items.next().then(
      (item) => ({ item }),
      (error) => ({ error }),
    );
  let next = read();
  try {
    while (!isRead || underWay.length > 0) {
      const first = underWay.at(0);
      const hasRoom = !first || (underWay.length < most.items && size < most.size);
      /** @type {Event} */
      const { item, error, result } = await Promise.race([
        ...(!isRead && hasRoom ? [next] : []),
        ...(first ? [first.done] : []),
      ]);
      if (item && !item.done) {
        const own = sizeOf(item.value);
        underWay.push({ done: work(item.value).then((each) => ({ result: each })), size: own });
        size += own;
        next = read();
      } else if (item || error) [isRead, failure] = [true, error];
      else {
        size -= underWay.shift()?.size ?? 0;
        yield /** @type {U} */ (result);
      }
    }
    if (failure) throw failure;
  } finally {
    await Promise.allSettled(underWay.map(({ done }) => done));
  }
}

exports.inOrder = inOrder;
exports.linesOf = linesOf;
