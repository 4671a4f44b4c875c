'use strict';

const { PROBLEMS } = require('../../core/errors');
const { unread } = require('../../http/listener/request-body');
const { MAX_BYTES } = require('./body');
const { GrowingBytes } = require('./growing-bytes');

const [NEWLINE, RETURN, TAB, SPACE] = Buffer.from('\n\r\t ');
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** @param {number} byte */
const isSpace = (byte) => byte === SPACE || byte === RETURN || byte === TAB;

/**
 * Another editor's ends of lines and byte order mark go, so that a line sent again is the same line.
 * @param {Buffer} line @returns {Buffer}
 */
function trimmed(line) {
  const [first, second] = [line.subarray(0, 3), line.subarray(3, 6)].map((bytes) => bytes.equals(BYTE_ORDER_MARK));
  let [start, end] = [first && !second ? BYTE_ORDER_MARK.length : 0, line.length]; // two are no JSON
  while (start < end && isSpace(line[start])) start += 1;
  while (end > start && isSpace(line[end - 1])) end -= 1;
  return line.subarray(start, end);
}

/**
 * The lines of a body, without white space around them and without blank ones. One that the connection cuts is not among them.
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
      const whole = trimmed(line.take());
      if (whole.length === 0) skip();
      else yield whole;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  const last = trimmed(line.take());
  if (last.length > 0) yield last;
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
