'use strict';
const http = require('node:http');

/*
 * Loaded into the workers of a cluster (NODE_OPTIONS): a request with this header makes its worker drop the
 * connection without an answer, which is what a bug in a worker looks like to nginx.
 */
const emit = http.Server.prototype.emit;
/** @param {string} event @param {any[]} rest @this {http.Server} */
http.Server.prototype.emit = function emitUnlessPoisoned(event, ...rest) {
  if (event === 'request' && rest[0].headers['x-poison']) return rest[0].destroy();
  return Reflect.apply(emit, this, [event, ...rest]);
};
