'use strict';

/** @param {string} text @returns {string} as a quoted CSV field */
const quote = (text) => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;

module.exports = { quote };
