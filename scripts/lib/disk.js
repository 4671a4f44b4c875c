'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/** @param {string} output of a tool, without the names of our folders @returns {boolean} */
const saysFull = (output) => /\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/.test(output);

/** @param {string} folder which may not be there yet @returns {{ device: number, freeMb: number }} of its file system */
function fileSystemOf(folder) {
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  if (!stat) return fileSystemOf(path.dirname(folder));
  const { bavail, bsize } = fs.statfsSync(folder);
  return { device: stat.dev, freeMb: Math.floor((bavail * bsize) / 2 ** 20) };
}

/**
 * @param {string} folder the one that is written to; tools write to the temporary one and to caches in the home as well
 * @returns {string} what is full, and what to do
 */
function fullDisk(folder) {
  const folders = [folder, os.tmpdir(), process.env.HOME || folder].map((each) => ({
    folder: each,
    ...fileSystemOf(each),
  }));
  const places = folders.filter(({ device }, index) => folders.findIndex((one) => one.device === device) === index);
  const free = places.map((place) => `${place.freeMb} MB free at ${place.folder}`).join(', ');
  return `the disk is full (${free}): make room there; npm start needs 1.1 GB in a fresh clone`;
}

/**
 * @param {string} folder @param {number} neededMb @param {{ freeMb: number }} [fileSystem]
 * @throws when what is about to be written does not fit
 */
function requireSpace(folder, neededMb, { freeMb } = fileSystemOf(folder)) {
  if (freeMb >= neededMb) return;
  throw new Error(
    `${folder} has ${freeMb} MB of free disk and ${neededMb} MB are needed: make room, or clone the repository to a larger disk`,
  );
}

module.exports = { fullDisk, requireSpace, saysFull };
