'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { processTree, readOrNothing } = require('../lib/proc');

const mb = 1024 * 1024;

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

/**
 * Memory of a process and its descendants. PSS divides a page that several of them map (a shared library) among
 * them, so its sum is what the tree takes; the sum of RSS counts such a page once for each.
 * @param {number} pid
 * @returns {number} PSS in MB; 0 when it has ended
 */
function memoryOf(pid) {
  let kb = 0;
  for (const member of processTree(pid)) {
    const rollup = readOrNothing(`/proc/${member}/smaps_rollup`);
    kb += Number(rollup.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0);
  }
  return kb / 1024;
}

/**
 * @param {() => number} look @param {number} everyMs
 * @returns {() => number} stops looking, after a last time, and tells the most that was seen
 */
function watchPeak(look, everyMs) {
  let peak = 0;
  const lookAgain = () => (peak = Math.max(peak, look()));
  const timer = setInterval(lookAgain, everyMs).unref();
  return () => {
    clearInterval(timer);
    return lookAgain();
  };
}

module.exports = { memoryOf, usedMb, watchPeak };
