'use strict';

/** A burst is over when this has passed since its first event; then its one line is written. */
const GATHER_MS = 1000;
/** While a flood lasts (a dead Redis, an overload) one line is written in this time. */
const QUIET_MS = 10000;
/** More kinds than any failure has: beyond them (errors that all differ) the rest is one kind. */
const MAX_KINDS = 100;

/**
 * Turns a burst of events of one kind into one line with their number and the details of the first.
 * @returns {{ add: (kind: string, write: (count: number) => void) => void, flush: () => void }}
 */
function createBursts() {
  /** @type {Map<string, { count: number, write: (count: number) => void, timer: NodeJS.Timeout }>} */
  const gathering = new Map();

  /** @param {string} kind */
  function writeOut(kind) {
    const burst = gathering.get(kind);
    gathering.delete(kind);
    if (!burst?.count) return;
    clearTimeout(burst.timer);
    burst.write(burst.count);
    const timer = setTimeout(writeOut, QUIET_MS, kind).unref();
    gathering.set(kind, { count: 0, write: burst.write, timer });
  }

  return {
    add(wanted, write) {
      const kind = gathering.has(wanted) || gathering.size < MAX_KINDS ? wanted : 'other';
      const burst = gathering.get(kind);
      if (!burst) {
        const timer = setTimeout(writeOut, GATHER_MS, kind).unref();
        gathering.set(kind, { count: 1, write, timer });
        return;
      }
      if (burst.count === 0) burst.write = write;
      burst.count += 1;
    },
    /** Writes what is gathered now: the worker stops. */
    flush() {
      for (const [kind, { timer }] of [...gathering]) {
        clearTimeout(timer);
        writeOut(kind);
      }
    },
  };
}

exports.createBursts = createBursts;
