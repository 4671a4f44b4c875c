'use strict';

/** A JSON reply is never a page: nothing may be loaded by it and nobody may frame it. */
const JSON_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** What Swagger UI needs and no more: its own script and style, inline SVG images, its own document. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * `ok`: the headers of a 200 as a flat array, which res.writeHead takes as it is. Made once; null until
 * the length of a compressed body is known.
 * @typedef {{ etag: string, ok: string[] | null }} Variant
 * @typedef {{ plain: Variant, gzip: Variant | null }} Variants
 * @typedef {import('../cache/entry').Entry} Entry
 */

/** @param {import('../config').Config} config */
function createHeaders(config) {
  const { CACHE_MAX_AGE_SECONDS: maxAgeSeconds, GZIP_MIN_BYTES: gzipMinBytes } = config;
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

  return {
    everywhere,
    /** The two variants of an entry, kept with it. @param {Entry} entry @returns {Variants} */
    of(entry) {
      return (entry.headers ??= {
        plain: { etag: `"${entry.digest}"`, ok: null },
        gzip:
          entry.body.length >= gzipMinBytes ? { etag: `"${entry.digest}-gzip"`, ok: null } : null,
      });
    },
    /** @param {Entry} entry @param {Variant} variant @param {Buffer} body as it will be sent */
    ok(entry, variant, body) {
      return (variant.ok ??= [
        'Content-Length',
        String(body.length),
        'Content-Type',
        entry.type,
        'Content-Security-Policy',
        entry.type.startsWith('text/html') ? PAGE_POLICY : JSON_POLICY,
        ...(body === entry.body ? [] : ['Content-Encoding', 'gzip']),
        ...validators(entry, variant),
      ]);
    },
    /** Headers of a 304: no content, so nothing about content. */
    notModified: validators,
  };
}

exports.createHeaders = createHeaders;
