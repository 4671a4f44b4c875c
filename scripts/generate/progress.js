'use strict';

const barCharacters = 24;
const barEveryMs = 100;
const lineEveryMs = 5000;

/** A bar on a terminal; elsewhere a line every few seconds, for logs. @param {number} total products */
function createProgress(total) {
  const stream = process.stderr;
  const startedMs = performance.now();
  let shownMs = startedMs;
  const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);

  /** @param {number} done @param {number} bytes */
  function update(done, bytes) {
    const nowMs = performance.now();
    if (nowMs - shownMs < (stream.isTTY ? barEveryMs : lineEveryMs)) return;
    shownMs = nowMs;
    const size = `${done.toLocaleString('en-US')} products, ${(bytes / 1e6).toFixed(0)} MB, ${seconds()} s`;
    const percent = Math.floor((done / total) * 100);
    const filled = Math.round((done / total) * barCharacters);
    const bar = '█'.repeat(filled).padEnd(barCharacters, '░');
    stream.write(stream.isTTY ? `\r${bar} ${percent} %  ${size}` : `${percent} %  ${size}\n`);
  }

  /** @param {string} summary */
  function end(summary) {
    stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${summary}, ${seconds()} s\n`);
  }

  return { update, end };
}

module.exports = { createProgress };
