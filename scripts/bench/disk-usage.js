'use strict';
const fs = require('node:fs');
const path = require('node:path');

const mb = 1024 * 1024;
/** Tables grow by 100 MB a second; a thousand files are counted in 10 ms. */
const sampleEveryMs = 1000;

/** @param {string} folder @returns {number} MB on the disk; files that vanish meanwhile are passed over */
function usedMb(folder) {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const stat = entry.isFile()
      ? fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })
      : undefined;
    bytes += (stat?.blocks ?? 0) * 512;
  }
  return bytes / mb;
}

/** @param {string} folder @returns {{ stop: () => number }} stop tells the peak in MB */
function watchDisk(folder) {
  let peakMb = 0;
  const look = () => (peakMb = Math.max(peakMb, usedMb(folder)));
  const timer = setInterval(look, sampleEveryMs).unref();
  return {
    stop() {
      clearInterval(timer);
      return look();
    },
  };
}

module.exports = { watchDisk };
