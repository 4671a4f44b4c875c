'use strict';

/** @typedef {{ labels: Record<string, string>, value: number }} Point */

/**
 * Reads the Prometheus text format 0.0.4 as the client library writes it: one sample a line, no timestamps.
 * @param {string} text
 * @returns {Map<string, Point[]>} by metric name
 */
function parseMetrics(text) {
  /** @type {Map<string, Point[]>} */
  const metrics = new Map();
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue; // HELP, TYPE and empty lines
    const [, name, labelText = '', value] = match;
    const pairs = labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
    const labels = Object.fromEntries([...pairs].map(([, key, text]) => [key, text]));
    const points = metrics.get(name) ?? [];
    points.push({ labels, value: Number(value) });
    metrics.set(name, points);
  }
  return metrics;
}

module.exports = { parseMetrics };
