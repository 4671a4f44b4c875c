'use strict';

const { unavailable } = require('../core/errors');

/** What is of two loads is read again, so many times in all: a load or a delete came between two reads, or between two tables of one. */
const ATTEMPTS = 3;

const replaced = () => unavailable('The catalog is being replaced.');

exports.ATTEMPTS = ATTEMPTS;
exports.replaced = replaced;
