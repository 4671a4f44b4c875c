'use strict';

/*
 * Reads sitemaps by the schemas of sitemaps.org (sitemap.xsd of 2008-03-26, siteindex.xsd of 2009-04-08), as far as ours go: one namespace, only
 * the elements loc and lastmod, in this order, without attributes.
 */

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const [LEAST, MOST] = [12, 2048]; // tLoc
const MOST_ENTRIES = 50_000;
const MOST_BYTES = 52_428_800;
const ROOTS = { urlset: 'url', sitemapindex: 'sitemap' };
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/;
/** Characters of a URL, without those that XML escapes, and the five entities. */
const TEXT = /^(?:[!#-%(-;=?-~]|&(?:amp|lt|gt|quot|apos);)+$/;
/** @type {Record<string, string>} */
const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** @param {string} text @returns {string} an absolute URL */
function locationOf(text) {
  if (!TEXT.test(text)) throw new Error(`not the text of an address: ${text}`);
  const address = text.replace(/&(\w+);/g, (_, name) => ENTITIES[name]);
  if (address.length < LEAST || address.length > MOST || new URL(address).href !== address)
    throw new Error(`not an address: ${address}`);
  return address;
}

/**
 * @param {string} xml @param {keyof typeof ROOTS} root
 * @returns {{ location: string, time: string | undefined }[]}
 * @throws {Error} for what the schema does not allow
 */
function readSitemap(xml, root) {
  const entry = ROOTS[root];
  const start = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n`;
  const end = `</${root}>\n`;
  if (!xml.startsWith(start) || !xml.endsWith(end)) throw new Error(`not a ${root}: ${xml.slice(0, 200)}`);
  const lines = xml.slice(start.length, -end.length).split('\n').slice(0, -1);
  if (lines.length < 1 || lines.length > MOST_ENTRIES) throw new Error(`${lines.length} entries`);
  if (Buffer.byteLength(xml) > MOST_BYTES) throw new Error('larger than 50 MB');
  const pattern = new RegExp(`^<${entry}><loc>([^<]*)</loc>(?:<lastmod>([^<]*)</lastmod>)?</${entry}>$`);
  return lines.map((line) => {
    const [, text, time] = pattern.exec(line) ?? [];
    if (text === undefined || (time !== undefined && !TIME.test(time))) throw new Error(`not an entry: ${line}`);
    return { location: locationOf(text), time };
  });
}

module.exports = { readSitemap };
