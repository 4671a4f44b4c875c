'use strict';

const { unavailable } = require('../core/errors');

/** A read of two loads is repeated, so many times in all: a load or a delete came between two queries, or two tables of one. */
const ATTEMPTS = 3;

const replaced = () => unavailable('The catalog is being replaced.');

exports.ATTEMPTS = ATTEMPTS;
exports.replaced = replaced;
