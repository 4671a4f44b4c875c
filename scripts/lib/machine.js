'use strict';
const os = require('node:os');

/** @returns {string} the machine that a figure was measured on, in one line */
function machine() {
  const [cpu] = os.cpus();
  const memoryGb = os.totalmem() / 2 ** 30;
  return `${os.availableParallelism()} cores (${cpu?.model.trim()}), ${memoryGb.toFixed(0)} GB, ${os.type()} ${os.release()}, Node ${process.versions.node}`;
}

module.exports = { machine };
