'use strict';
/*
 * Baselines of a reply from memory: the same bytes from node:http or from an Express handler that does nothing else.
 * Usage: node constant.js http|express PORT FILE
 */
const fs = require('node:fs');
const http = require('node:http');
const express = require('express');

const [kind, port, file] = process.argv.slice(2);
const body = fs.readFileSync(file);
const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': body.length,
};

/** @param {http.ServerResponse} response */
function answer(response) {
  response.writeHead(200, headers);
  response.end(body);
}

/** The least that Express can do; ETag and X-Powered-By off. */
function expressListener() {
  const app = express();
  app.disable('etag').disable('x-powered-by');
  app.get('/*path', (_request, response) => answer(response));
  return app;
}

const listener =
  kind === 'express'
    ? expressListener()
    : (/** @type {http.IncomingMessage} */ _request, /** @type {http.ServerResponse} */ response) => answer(response);
http.createServer(listener).listen(Number(port), '127.0.0.1');
