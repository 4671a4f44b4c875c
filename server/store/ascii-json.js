'use strict';

/** A statement takes ASCII. @param {string[]} texts */
const asciiJson = (texts) =>
  JSON.stringify(texts).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

exports.asciiJson = asciiJson;
