'use strict';

const { parse } = require('pg-connection-string');

const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)([^?]*)\??(.*)$/s;
const HOST = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/s;
/** Without these, pg means verify-full by each sslmode. With "prefer" it refuses a server without TLS. */
const LIBPQ = 'uselibpqcompat';
const OPTIONAL_TLS = ['allow', 'prefer'];

/**
 * The servers of a URL as libpq reads it: hosts with commas between them, each with a port of its own, or the parameters host and port.
 * @param {string} url
 * @returns {string[]} a URL for pg each, in their order
 * @throws {Error} without the URL, which holds a password
 */
function serversOf(url) {
  const [, head, authority = '', path, query] = SHAPE.exec(url) ?? [];
  if (head === undefined) throw new Error('must start with postgres://');
  const params = tlsAsLibpq(new URLSearchParams(query));
  const hosts = params.get('host')?.split(',') ?? authority.split(',');
  if (hosts.length === 1) return [params.has(LIBPQ) ? `${head}${authority}${path}?${params}` : url];
  const ports = params.get('port')?.split(',') ?? [];
  return hosts.map((place, index) => {
    const [, v6, name, port] = params.has('host') ? [null, null, place] : (HOST.exec(place) ?? []);
    const own = new URLSearchParams(params);
    own.set('host', decodeURIComponent(v6 ?? name ?? ''));
    own.set('port', port || (ports.length === 1 ? ports[0] : ports[index]) || '5432');
    return `${head}${path}?${own}`;
  });
}

/** @param {URLSearchParams} params */
function tlsAsLibpq(params) {
  const mode = params.get('sslmode');
  if (mode === null) return params;
  if (OPTIONAL_TLS.includes(mode)) params.delete('sslmode');
  if (params.get('sslrootcert') === 'system') params.delete('sslrootcert'); // Node's own list
  params.set(LIBPQ, 'true');
  return params;
}

/** @param {string} url of one server @returns {string} its address, or the folder of its socket, and port: for people, without secrets */
function nameOf(url) {
  const { host, port } = parse(url);
  return `${host || 'localhost'}:${port || 5432}`;
}

exports.nameOf = nameOf;
exports.serversOf = serversOf;
