'use strict';

const { FEATURE, FIELD } = require('../server/core/policy');

/*
 * The maps that make a cache key of a request, from the list of routes and their query parameters (server/core/policy.js). Two keys: one for
 * what is below /products/ and /skus/, which is most of the traffic, one for all other paths.
 *
 * nginx's own $arg_page ignores case and takes the first of several; the worker does neither, so the parts are cut from $args by
 * case-sensitive patterns. A request without a query is its own key and none of the patterns is tried: nginx evaluates a map when
 * it is used, and an exact value comes before the patterns.
 */

/** @typedef {Readonly<Record<string, readonly string[]>>} Parameters query parameters by route */

/** @param {string} route */
const isDocument = (route) => /^\/(?:products|skus)\//.test(route);

/** @param {Parameters} routes @param {(route: string) => boolean} belongs @returns {string[]} */
const parametersOf = (routes, belongs) => [
  ...new Set(Object.keys(routes).flatMap((route) => (belongs(route) ? routes[route] : []))),
];

/** @param {string} source @param {string} variable @param {string[]} lines */
const map = (source, variable, lines) => [`map ${source} ${variable} {`, ...lines.map((line) => `    ${line}`), '}'];

/** Name and value together, or "?page" and no page at all would be one. @param {string} name */
const pairMap = (name) =>
  map('$args', `$${name}_pair`, ['default "";', `"~(?:^|&)(?<${name}_part>${name}(?:=[^&]*)?)(?:&|$)" $${name}_part;`]);

/**
 * Queries whose meaning the patterns may miss. The worker answers them and nginx does not keep the reply: a very long query, a
 * repeated name, an encoded name as long as one of ours, a byte that a URL does not have.
 * @param {string[]} names
 */
function unclearLines(names) {
  const lengths = names.map((name) => name.length);
  const length = `{${Math.min(...lengths)},${Math.max(...lengths)}}`;
  return [
    'default "";',
    String.raw`"~\?.{1024}" 1;`,
    String.raw`"~\?(?:.*&)?(${names.join('|')})(?:=[^&]*)?&(?:.*&)?\1(?:=|&|$)" 1;`,
    String.raw`"~*\?(?:.*&)?(?=[^=&]*%)(?:[a-z]|%[67].)${length}(?:=|&|$)" 1;`,
    String.raw`"~[^\x21\x22\x24-\x7e]" 1;`,
  ];
}

/**
 * A value has no "&", so no two requests make the same key of different parts.
 * @param {string} prefix of the variables @param {string[]} names
 */
function keyMaps(prefix, names) {
  const pairs = names.map((name) => `$${name}_pair`).join('&');
  const key = map('$args', `$${prefix}_key`, [
    '"" $request_uri;',
    names.length > 0 ? `default "$raw_path?${pairs}";` : 'default $raw_path;',
  ]);
  if (names.length === 0) return key;
  return [
    ...key,
    ...map('$args', `$${prefix}_bypass`, ['"" "";', `default $${prefix}_unclear;`]),
    ...map('$request_uri', `$${prefix}_unclear`, unclearLines(names)),
  ];
}

/** Runs of parameters that count, with ignored ones between them. */
const COUNTED = ['url_1', 'url_2', 'url_3', 'url_4'];

/**
 * The key of a route that is kept under its URL: without the parameters that are ignored. It is empty, and the reply not kept, if these
 * stand between more runs of others, or a name has an encoded letter, which only the worker reads.
 * @param {typeof import('../server/core/policy').IGNORED_PARAMETERS} table
 */
function urlKeyLines({ endings, beginnings, names }) {
  const notNamed = `(?!${[FEATURE, FIELD].join('|').replaceAll('.', String.raw`\.`)})`;
  const name = `(?:${beginnings.join('|')})[^=&]*|${notNamed}[^=&]*(?:${endings.join('|')})|${names.join('|')}`;
  const ignored = `(?:(?:${name})(?:=[^&]*)?)?(?=&|$)`;
  const runs = COUNTED.map((run) => `(?<${run}>(?:&(?!${ignored})[^&]*+)*+)(?:&${ignored})*+`);
  return [
    ...map('"$raw_path?&$args"', '$url_key', [
      'default "";',
      `"~^(?!.*&${notNamed}[^=&]*%)(?<url_path>[^&]*+)${runs.join('')}$" $url_path$${COUNTED.join('$')};`,
    ]),
    ...map('$url_key', '$url_zone', ['"" off;', 'default $cache_zone;']),
  ];
}

/**
 * Sets $uncached for a request that names a parameter whose replies are not kept.
 * @param {readonly string[]} uncached names
 */
const uncachedMap = (uncached) =>
  map(`"${uncached.map((name) => `$${name}_pair`).join('')}"`, '$uncached', ['"" "";', 'default 1;']);

/**
 * @param {Parameters} routes
 * @param {readonly string[]} [uncached] names of parameters among them whose replies are not kept
 * @returns {{ lines: string[], documentZone: string }} the maps, and the value of `proxy_cache` below /products/ and /skus/
 * @throws {Error} for a name that the patterns cannot find in a query
 */
function cacheKeys(routes, uncached = []) {
  const lists = parametersOf(routes, (route) => !isDocument(route));
  const documents = parametersOf(routes, isDocument);
  const names = [...new Set([...lists, ...documents])];
  const odd = names.find((name) => !/^[a-z]+$/.test(name));
  if (odd) throw new Error(`the query parameter "${odd}" must be lower-case letters only: nginx finds no other name`);
  const zone = map('"$cache_zone$document_bypass"', '$document_zone', ['replies replies;', 'default off;']);
  return {
    lines: [
      ...keyMaps('reply', lists),
      ...keyMaps('document', documents),
      ...names.flatMap(pairMap),
      ...uncachedMap(uncached),
      ...(documents.length > 0 ? zone : []),
    ],
    documentZone: documents.length > 0 ? '$document_zone' : '$cache_zone',
  };
}

/**
 * @param {number} limit
 * @returns {string} a pattern of the whole numbers above it, without leading zeros: for 200 `20[1-9]|2[1-9]\d|[3-9]\d\d|\d{4,}`
 */
function numbersAbove(limit) {
  const digits = String(limit);
  const sameLength = [...digits].flatMap((digit, index) => {
    const range = digit === '9' ? '' : digit === '8' ? '9' : `[${Number(digit) + 1}-9]`;
    return range ? [digits.slice(0, index) + range + String.raw`\d`.repeat(digits.length - index - 1)] : [];
  });
  return [...sameLength.reverse(), String.raw`\d{${digits.length + 1},}`].join('|');
}

module.exports = { cacheKeys, numbersAbove, urlKeyLines };
