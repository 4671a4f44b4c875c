'use strict';

/** @param {string} name of a blob whose text is not as the loader writes it */
const damaged = (name) => new Error(`search_blobs has damaged ${name}. Load the data again.`);

exports.damaged = damaged;
