'use strict';

/**
 * One sample of k6's CSV stream.
 * @typedef {object} Sample
 * @property {string} metric
 * @property {number} second since the epoch
 * @property {number} value
 * @property {string} scenario empty for what belongs to none (the setup)
 * @property {string} status
 * @property {string} errorCode
 * @property {string} name the route
 */

/** The metrics that are looked at; the other ten of each request are passed over unparsed. */
const wanted = ['http_req_duration', 'errors', 'dropped_iterations', 'differing'];

/**
 * Reads k6's CSV output line by line. No field can hold a comma: k6/lib/loads.js asks only for tags that have none.
 * @returns {(line: string) => Sample | undefined} undefined for the header and what is passed over
 */
function csvReader() {
  /** @type {Record<string, number>} */
  const columns = {};
  return (line) => {
    const metric = line.slice(0, line.indexOf(','));
    if (metric === 'metric_name') {
      line.split(',').forEach((name, index) => (columns[name] = index));
      return undefined;
    }
    if (!wanted.includes(metric)) return undefined;
    const fields = line.split(',');
    return {
      metric,
      second: Number(fields[columns.timestamp]),
      value: Number(fields[columns.metric_value]),
      scenario: fields[columns.scenario],
      status: fields[columns.status],
      errorCode: fields[columns.error_code],
      name: fields[columns.name],
    };
  };
}

module.exports = { csvReader };
