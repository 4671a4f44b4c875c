'use strict';
// Baseline of a reply from memory: the same bytes from node:http. Usage: node constant.js PORT FILE
const fs = require('node:fs');
const http = require('node:http');

const [port, file] = process.argv.slice(2);
const body = fs.readFileSync(file);
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
http.createServer((_request, response) => response.writeHead(200, headers).end(body)).listen(Number(port), '127.0.0.1');
