'use strict';
const fs = require('node:fs');
const os = require('node:os');

/** For all that is installed, and a new database with the sample. */
const neededMb = 1100;

/** @param {string} output of a tool, without the names of our folders @returns {boolean} */
const saysFull = (output) => /\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/.test(output);

/** @param {string} folder @returns {number} */
function freeMb(folder) {
  const { bavail, bsize } = fs.statfsSync(folder);
  return Math.floor((bavail * bsize) / 2 ** 20);
}

/** @param {string} folder the one that is written to @returns {string} what is full, and what to do */
function fullDisk(folder) {
  // Tools also write to caches in the home and to the temporary folder.
  const places = [process.env.HOME || folder, os.tmpdir(), folder].filter((place) => fs.existsSync(place));
  const onEachDisk = new Map(places.map((place) => [fs.statSync(place).dev, place])).values();
  const free = [...onEachDisk].map((place) => `${freeMb(place)} MB free at ${place}`).join(', ');
  return `the disk is full (${free}): make room there; npm start needs ${neededMb} MB in a fresh clone`;
}

/** @param {string} folder of a fresh clone @param {number} [free] MB @throws when an installation does not fit */
function requireSpace(folder, free = freeMb(folder)) {
  if (free >= neededMb) return;
  throw new Error(
    `${folder} has ${free} MB of free disk and ${neededMb} MB are needed: make room, or clone the repository to a larger disk`,
  );
}

module.exports = { fullDisk, requireSpace, saysFull };
