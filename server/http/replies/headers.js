'use strict';

const { ASIDE } = require('../../cache/entry');
const { EXPOSED } = require('../../core/policy');
const { isPage, policyOf } = require('./page-policies');
const { givenRequestId } = require('./request-id');
const { etagOf, gzipEtagOf } = require('./validators');

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * `head`: the headers of a 200 as they are sent. Made for the first of them: the length of a compressed body is
 * not known before.
 * @typedef {{ etag: string, head: string | null }} Variant
 * @typedef {{ plain: Variant, gzip: Variant | null, own: string[] | null }} Variants own: see ownHeaders
 * @typedef {import('../../cache/entry').Entry} Entry
 * @typedef {import('../../cache/body').Body} Body
 */

/**
 * A list of headers as it is sent.
 * @param {string[]} list names and values, checked where they are made: they are not checked again here
 */
function headText(list) {
  const lines = [];
  for (let index = 0; index < list.length; index += 2) lines.push(`${list[index]}: ${list[index + 1]}\r\n`);
  // join() makes a flat string; one grown by += is a chain that each reply would walk through.
  return lines.join('');
}

/**
 * Writes the head of a reply that is not a problem, with the headers that depend on the request and the moment.
 * @param {{ draining: boolean }} state
 */
function createWriteHead(state) {
  /**
   * @param {import('node:http').IncomingMessage} req @param {import('node:http').ServerResponse} res
   * @param {number} status @param {string[]} list names and values
   */
  return (req, res, status, list) => {
    const requestId = givenRequestId(req);
    const own = requestId ? ['X-Request-Id', requestId] : [];
    // A proxy that reused this connection while it closes would see a reset.
    if (state.draining) own.push('Connection', 'close');
    res.writeHead(status, own.length ? list.concat(own) : list);
  };
}

/** A page and its files are revalidated: one of them must not be older than the others. */
const FILE_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

/** Headers that describe the content, the same for all entries of a type but pages. @param {Entry} entry @param {boolean} plain */
const contentHeaders = (entry, plain) => [
  'Content-Type',
  entry.type || JSON_TYPE,
  'Content-Security-Policy',
  policyOf(entry),
  ...(plain ? [] : ['Content-Encoding', 'gzip']),
];

/** Headers of every reply. @param {import('../../config/config').Config} config */
const commonOf = ({ CORS_ORIGIN: origin }) => [
  'Access-Control-Allow-Origin',
  origin,
  'Access-Control-Expose-Headers',
  EXPOSED,
  'Timing-Allow-Origin',
  origin,
  'X-Content-Type-Options',
  'nosniff',
];

/**
 * @param {import('../../config/config').Config} config
 * @param {Pick<import('../../catalog/catalog').Catalog, 'versionOf' | 'tagsOf'>} catalog what a key says of its entry
 */
function createHeaders(config, { versionOf, tagsOf }) {
  const { CACHE_MAX_AGE_SECONDS: maxAge, CACHE_STALE_SECONDS: stale, GZIP_MIN_BYTES: gzipMinBytes } = config;
  const commonHeaders = commonOf(config);
  const cacheControl = `public, max-age=${maxAge}, ${stale ? `stale-while-revalidate=${stale}` : 'must-revalidate'}`;

  /** A body too small to be compressed has one variant. @param {Entry} entry */
  const varies = ({ body }) => body.length >= gzipMinBytes;

  /**
   * Both variants have Vary, not only the compressed one: a shared cache that first saw the plain one would otherwise serve it
   * to every client.
   * @param {Entry} entry @returns {string[]}
   */
  function sharedHeaders(entry) {
    const vary = varies(entry) ? ['Vary', 'Accept-Encoding'] : [];
    return ['Cache-Control', entry.type ? FILE_CACHE_CONTROL : cacheControl, ...commonHeaders, ...vary];
  }

  /** The headers of one entry alone, beside its ETag, as they are sent. @param {Entry} entry */
  function ownText({ key, annotation }) {
    const version = versionOf(key); // none: what is not of the catalog
    const own = annotation.replace(ASIDE, '');
    return version ? `Catalog-Version: ${version}\r\n${tagText(key)}${own}` : own;
  }

  /** A CDN knows one of both headers. @param {string} key */
  function tagText(key) {
    if (config.CACHE_TAGS === 'off') return '';
    const tags = tagsOf(key);
    return `Surrogate-Key: ${tags.join(' ')}\r\nCache-Tag: ${tags.join(',')}\r\n`;
  }

  /** The same as a list, made for the first reply that needs it. @param {Entry} entry @returns {string[]} */
  const ownHeaders = (entry) =>
    (entry.prepared.own ??= ownText(entry)
      .split('\r\n')
      .flatMap((line) => (line ? line.split(': ', 2) : [])));

  /** @type {Map<string, string[]>} by type: the shared headers as text, for each of its up to four kinds */
  const textsByType = new Map();

  /** @param {Entry} entry @param {boolean} plain */
  function textOfType(entry, plain) {
    const text = () => headText([...contentHeaders(entry, plain), ...sharedHeaders(entry)]);
    if (isPage(entry)) return text();
    let kinds = textsByType.get(entry.type);
    if (!kinds) textsByType.set(entry.type, (kinds = []));
    const kind = Number(plain) * 2 + Number(varies(entry));
    return (kinds[kind] ??= text());
  }

  return {
    commonHeaders,
    /** The two variants of an entry, kept with it. @param {Entry} entry @returns {Variants} */
    of(entry) {
      return (entry.prepared ??= {
        plain: { etag: etagOf(entry.digest), head: null },
        gzip: varies(entry) ? { etag: gzipEtagOf(entry.digest), head: null } : null,
        own: null,
      });
    },
    /**
     * Headers of a 200 as a flat list, which res.writeHead takes as it is.
     * @param {Entry} entry @param {Variant} variant @param {Body} body as it will be sent
     */
    ok: (entry, variant, body) => [
      'Content-Length',
      String(body.length),
      'ETag',
      variant.etag,
      ...ownHeaders(entry),
      ...contentHeaders(entry, body === entry.body),
      ...sharedHeaders(entry),
    ],
    /**
     * The same as text. Shared headers are one string for all entries: an entry takes 1 KB less.
     * @param {Entry} entry @param {Variant} variant @param {Body} body
     */
    head: (entry, variant, body) =>
      (variant.head ??=
        ['Content-Length: ', body.length, '\r\nETag: ', variant.etag, '\r\n', ownText(entry)].join('') +
        textOfType(entry, body === entry.body)),
    /** Headers of a 304: no content, so nothing about content. @param {Entry} entry @param {Variant} variant */
    notModified: (entry, variant) => ['ETag', variant.etag, ...ownHeaders(entry), ...sharedHeaders(entry)],
  };
}

exports.headText = headText;
exports.createWriteHead = createWriteHead;
exports.createHeaders = createHeaders;
