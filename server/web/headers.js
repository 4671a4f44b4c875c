'use strict';

const { validateHeaderValue } = require('node:http');

const { headText } = require('./whole-reply');

/** A JSON reply is never a page: nothing may be loaded by it and nobody may frame it. */
const JSON_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** What Swagger UI needs and no more: its own script and style, inline SVG images, its own document. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * `head`: the headers of a 200 as they are sent. Made at the first of them: the length of a compressed body is
 * not known before.
 * @typedef {{ etag: string, head: string | null }} Variant
 * @typedef {{ plain: Variant, gzip: Variant | null }} Variants
 * @typedef {import('../cache/entry').Entry} Entry
 * @typedef {import('../cache/body').Body} Body
 */

/** @param {import('../config').Config} config */
function createHeaders(config) {
  const { CACHE_MAX_AGE_SECONDS: maxAgeSeconds, GZIP_MIN_BYTES: gzipMinBytes } = config;
  // Node checks it where headers are given as a list; where they are sent as text nobody does.
  validateHeaderValue('Access-Control-Allow-Origin', config.CORS_ORIGIN);
  const everywhere = [
    'Access-Control-Allow-Origin',
    config.CORS_ORIGIN,
    'Access-Control-Expose-Headers',
    'ETag, Link, X-Request-Id',
    'X-Content-Type-Options',
    'nosniff',
  ];
  const cacheControl = `public, max-age=${maxAgeSeconds}, must-revalidate`;

  /**
   * Vary stands on both variants, not only on the compressed one: a shared cache that first saw the
   * plain one would otherwise give it to everybody. Bodies too small to be compressed do not vary.
   * @param {Entry} entry @param {Variant} variant
   */
  function validators({ body, link }, { etag }) {
    const list = ['ETag', etag, 'Cache-Control', cacheControl, ...everywhere];
    if (body.length >= gzipMinBytes) list.push('Vary', 'Accept-Encoding');
    if (link) list.push('Link', link);
    return list;
  }

  /**
   * Headers of a 200 as a flat list, which res.writeHead takes as it is.
   * @param {Entry} entry @param {Variant} variant @param {Body} body as it will be sent
   */
  function ok(entry, variant, body) {
    return [
      ...['Content-Length', String(body.length), 'Content-Type', entry.type],
      'Content-Security-Policy',
      entry.type.startsWith('text/html') ? PAGE_POLICY : JSON_POLICY,
      ...(body === entry.body ? [] : ['Content-Encoding', 'gzip']),
      ...validators(entry, variant),
    ];
  }

  return {
    everywhere,
    /** The two variants of an entry, kept with it. @param {Entry} entry @returns {Variants} */
    of(entry) {
      return (entry.headers ??= {
        plain: { etag: `"${entry.digest}"`, head: null },
        gzip:
          entry.body.length >= gzipMinBytes ? { etag: `"${entry.digest}-gzip"`, head: null } : null,
      });
    },
    ok,
    /** The same as text. @param {Entry} entry @param {Variant} variant @param {Body} body */
    head: (entry, variant, body) => (variant.head ??= headText(ok(entry, variant, body))),
    /** Headers of a 304: no content, so nothing about content. */
    notModified: validators,
  };
}

exports.createHeaders = createHeaders;
