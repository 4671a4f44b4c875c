'use strict';
const { fileURLToPath } = require('node:url');
const path = require('node:path');
const { root } = require('../lib/runtime');

/**
 * @typedef {object} Frame
 * @property {string} name function and place
 * @property {number} value milliseconds in it and in what it called
 * @property {Frame[]} children
 */

/**
 * A CPU profile of V8 as the tree that a flame graph draws. Samples are not equally far apart, so each counts for
 * the time until the next (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile).
 * @param {{ nodes: any[], samples: number[], timeDeltas: number[] }} profile
 * @returns {Frame} '(idle)' is the worker waiting
 */
function foldProfile({ nodes, samples, timeDeltas }) {
  /** @type {Map<number, number>} */
  const ownMs = new Map();
  samples.forEach((id, index) => {
    ownMs.set(id, (ownMs.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1000);
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @param {any} node @returns {Frame} */
  const fold = (node) => {
    const children = (node.children ?? []).map((/** @type {number} */ id) => fold(byId.get(id)));
    const below = children.reduce((/** @type {number} */ sum, /** @type {Frame} */ c) => sum + c.value, 0);
    return { name: nameOf(node.callFrame), value: (ownMs.get(node.id) ?? 0) + below, children };
  };
  return fold(nodes[0]);
}

/** @param {{ functionName: string, url: string, lineNumber: number }} frame line from 0 */
function nameOf({ functionName, url, lineNumber }) {
  const name = functionName || '(anonymous)';
  if (!url) return name;
  const file = url.startsWith('file:') ? path.relative(root, fileURLToPath(url)) : url;
  return `${name} ${file}:${lineNumber + 1}`;
}

/** @param {Frame} tree @returns {number} share of the time in which it did anything */
function busyShare({ value, children }) {
  const idle = children.find(({ name }) => name === '(idle)')?.value ?? 0;
  return value > 0 ? 1 - idle / value : 0;
}

module.exports = { foldProfile, busyShare };
