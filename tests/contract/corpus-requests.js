'use strict';

/*
 * The requests of the corpus: every product of scripts/generate/edges.json, odd queries and paths, methods, conditions, encodings, broken bytes.
 * `{etag}` in a header is the ETag of the plain reply to the same target.
 */

/** @typedef {{ name: string, method?: string, path: string, headers?: Record<string, string>, body?: string }} Asked */

const productRoutes = ['', '/styles', '/related'];

/** @param {string[]} paths @returns {Asked[]} */
const gets = (paths) => paths.map((path) => ({ name: `GET ${shortened(path)}`, path }));

/** @param {string} text */
const shortened = (text) => text.replace(/(.)\1{40,}/g, (run, letter) => `${letter}{${run.length}}`);

/**
 * Each of the paths with each of the headers.
 * @param {string[]} paths @param {Record<string, string>[]} all @param {string} [method]
 * @returns {Asked[]}
 */
const withHeaders = (paths, all, method = 'GET') =>
  paths.flatMap((path) =>
    all.map((headers) => {
      const text = Object.entries(headers).map(([name, value]) => `${name}: ${shortened(value)}`);
      return { name: [`${method} ${path}`, ...text].join(' | '), method, path, headers };
    }),
  );

/** @param {string[]} paths @param {string[]} methods @returns {Asked[]} */
const withMethods = (paths, methods) =>
  paths.flatMap((path) => methods.map((method) => ({ name: `${method} ${path}`, method, path })));

/** @param {string} text @returns {string[]} */
const words = (text) => text.trim().split(/\s+/);

const edges = Array.from({ length: 12 }, (_, index) => index + 1).flatMap((id) =>
  productRoutes.map((route) => `/products/${id}${route}`),
);
const ids = words(`0 -1 +1 01 1.5 1e0 0x1 x 50 51 53 54 309 315 318 319 2147483647 2147483648 99999999999999999999
  %31 1%20 %E2%91%A0 1;v=1 1,2 null undefined`).flatMap((id) =>
  productRoutes.map((route) => `/products/${id}${route}`),
);
const lists = [
  ...words('1 2 5 6 50 51 200 201 299 300 301 19089 20000 20001 0 -1 05 1.5 x').map((count) => `count=${count}`),
  ...words(`1 2 60 61 2147483647 2147483648 99999999999 0 -1 +1 01 %31 1.5 1e3 x %F0%9F`).map((page) => `page=${page}`),
  ...words('1 11 49 50 53 312 315 318 2147483647 2147483648 0 -1 x').map((after) => `after=${after}`),
  ...words(`count= page= after= page=2&count=10 count=10&page=2 page=30&count=10 page=31&count=10 page=2&count=250 after=11&count=3
    count=3&after=11 after=1&count=20000 after=1&page=1 page=1&page=1 page=1&page=2 count=1&count=1 after=1&after=1 page=1&x=1&page=2
    page page&count=2 page=1&page PAGE=2 Count=2 p%61ge=2 c%6Funt=300 page=2;count=3 count=2&count%20=1 page=2&utm_source=x
    utm_source=x filter%5Bcolor%5D=x q=boots ids=1,2 include=styles ?page=2 ?count=3&page=2 & = &&page=2 page=2& page=% %=1
    page=2%26count=1 page=1+ count=5%00 page[]=2 page=2#top page=1#&page=2`),
  '',
  `x=${'a'.repeat(2000)}&page=2`,
  `${'a&'.repeat(600)}page=2`,
].map((query) => `/products?${query}`);
const included =
  words(`/products/1?include=offer /products/2?include=styles,offer /products/3?include=offer&include=styles
  /products/4?include=offer%2Crelated%2Crelated_ids /products/5?include=offer,styles,related,related_ids /products/51?include=offer
  /products/1?include=jsonld /products?include=jsonld /products/1?include=features /products/1?include= /products/1?include=style /products/1?include=offer, /products/1?INCLUDE=x
  /products/1/styles?include=x /products/1/related?include=offer /products?include=offer&count=3 /products?include=x
  /products?include=features,offer,styles,related,related_ids&page=2&count=2 /products?after=11&count=2&include=related_ids
  /products?include=styles&count=100 /products?include=styles&count=101 /products?include=offer&count=101
  /products?ids=3,1,2 /products?ids=1,1,50,2147483647 /products?ids=1&ids=2,3 /products?ids=1%2C2&include=offer
  /products?ids=1,2&include=styles,related /products?ids= /products?ids=1, /products?ids=x /products?ids=0 /products?ids=2147483648
  /products?ids=1&page=1 /products?ids=1&count=1 /products?ids=1&after=1 /products/?ids=1,2 /products?%69ds=2 /products?IDS=1`);
const exported =
  words(`/export /export/ /export?view=card /export?view=product /export?view=full /export?view=full&after=310 /export?view=id /export?view=id&after=310 /export?after=2147483647
  /export?after=310&utm_source=x&_=1&gclid=x&fbclid=x /export?view=cards /export?view= /export?view=id&view=id /export?after=0 /export?after=x
  /export?veiw=id /export?aftr=1 /export?VIEW=id /export?count=5 /export?x /export?v%69ew=id&after=310 /export/x /exports /Export`);
const searches =
  words(`/search /search/ /search?q=jacket /search?q=jack%C3%A9t&count=2 /search?q=jackte&count=1 /search?q=green+parka&count=3&facets=category
  /search?category=Jackets&size=M&in_stock=true&facets=size,category,price,on_sale,in_stock&count=2 /search?facets=feature&count=0&facet_values=2
  /search?sort=-price&count=3&page=2 /search?sort=name&count=2 /search?sort=newest&count=2 /search?min_price=100&max_price=120.50&count=1000
  /search?category=Jackets&category=Pants&count=1 /search?category=Pants&category=Jackets&count=1 /search?category=nothing /search?q=-jacket&count=1
  /search?q=nothingatall /search?count=0 /search?count=1001 /search?page=0 /search?page=1&after=x /search?after=x /search?categroy=x /search?size[]=M
  /search?category= /search?sort=prise /search?facets=x /search?on_sale=1 /search?min_price=x /search?feature.Fabric=Canvas&count=1
  /search?utm_source=x&count=1 /search?gad_source=1&gbraid=x&count=1&srsltid=y /search?in_stock=false&sort=&count=1 /suggest?q=ja&count=2 /suggest /suggest/?q=ja&count=1 /suggest?q=x&page=1 /suggest?count=51
  /feeds/google.tsv /feeds/google.tsv/ /feeds/google.tsv?x=1 /feeds/openai.jsonl /feeds/openai.jsonl/ /feeds/openai.jsonl?x=1 /feeds /feeds/other.tsv /sitemap.xml /sitemap.xml/ /sitemap-1.xml /sitemap-x.xml /sitemap.xml?x=1 /sitemap-1.xml/x /Sitemap.xml /catalog /catalog/ /catalog?_=1 /catalog?x=1 /Search /searches /search/x`);
const skus =
  words(`/skus/1 /skus/2/ /skus/3?include=card /skus/999999 /skus/0 /skus/x /skus/1?include=cards /skus/1?include= /skus/1?x=1 /skus/1/card /Skus/1
  /skus?ids=3,1,999999 /skus/?ids=1 /skus?ids=1&ids=1&include=card /skus?ids=1%2C2 /skus /skus/ /skus?ids= /skus?ids=1,x /skus?idz=1 /skus?ids=1&page=1
  /skus?ids=1&utm_source=x /skus?ids=1&include=offer`);
const batches = [500, 501].map((length) => `/products?ids=${Array.from({ length }, (_, index) => index + 1)}`);
const paths = [
  ...words(`/ /nowhere /favicon.ico /robots.txt /metrics /livez /readyz /readyz/ /product /productss /Products /PRODUCTS/1
    /products/1/STYLES /products/1/reviews /products/1/styles/1 /products/1/related/2 //products /products// /products//1
    /products/1//styles /products/1/ /products/1/styles/ /products/1/related/ /products/1// /products/?page=2 /products/1?
    /products/1?page=2 /products/1?page=0 /products/1?page=1&page= /products/1?utm_source=x /products/1/styles?count=1
    /products/1#top /products/1%2Fstyles /products%2F1 /products%3Fpage=2 /%70roducts /%70roducts/1 /products/../products/1
    /products/1/../2 /products/. /products/.. /products/%2e%2e/1 /./products /products/%E0%A4%A /products/% /products/%00
    /products/1%0a /products/..%2f..%2fetc /products/1\\styles /.long-list /.problem/overloaded /cgi-bin/x`),
  `/products/${'1'.repeat(6000)}`,
  `/products?x=${'a'.repeat(6000)}`,
  `/products/1?x=${'a'.repeat(6000)}`,
  ...[8000, 9500].map((length) => `/products?x=${'a'.repeat(length)}`),
];
const routes = ['/products', '/products?count=20', '/products/1', '/products/1/styles', '/products/1/related'];
const dates = ['Thu, 01 Jan 2099 00:00:00 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT', 'x'];
/** @type {Record<string, string>[]} */
const conditions = [
  ...['{etag}', 'W/{etag}', '*', '"x"', '"x", {etag}', '"x", W/"y"', '', 'x'].map((etag) => ({
    'If-None-Match': etag,
  })),
  ...['{etag}', 'W/{etag}', '*', '"x"', '"x", {etag}', ''].map((etag) => ({ 'If-Match': etag })),
  ...dates.map((date) => ({ 'If-Modified-Since': date })),
  ...dates.map((date) => ({ 'If-Unmodified-Since': date })),
  ...words('bytes=0-9 bytes=-5 bytes=999999- bytes=0-1,3-4 x=1').map((range) => ({ Range: range })),
  { Range: 'bytes=0-9', 'If-Range': '{etag}' },
  { 'If-None-Match': '{etag}', 'If-Match': '"x"' },
];
const encodings = [
  ...words('gzip GZIP x-gzip br deflate zstd identity * gzip;q=0 *;q=0 identity;q=0'),
  'gzip, deflate, br, zstd',
  'br;q=1, gzip;q=0.5',
  'gzip;q=0, *',
  'gzip ; q=0.001',
  '',
].map((value) => ({ 'Accept-Encoding': value }));
const origins = [{ Origin: 'https://shop.example' }, { Origin: 'null' }];
const preflight = { ...origins[0], 'Access-Control-Request-Method': 'GET' };
const preflights = [
  ...['GET', 'POST', 'x y'].map((method) => ({ ...preflight, 'Access-Control-Request-Method': method })),
  ...['authorization', 'X-A, x-b', '*', 'bad header', '', 'a,'.repeat(3000)].map((names) => ({
    ...preflight,
    'Access-Control-Request-Headers': names,
  })),
];
/** @type {Record<string, string>[]} */
const others = [
  ...['text/html', 'application/json;q=0', '*/*'].map((value) => ({ Accept: value })),
  ...['a.b-c_D9', 'not valid', 'x'.repeat(64), 'x'.repeat(65), ''].map((value) => ({ 'X-Request-Id': value })),
  ...['no-cache', 'only-if-cached', 'max-age=0'].map((value) => ({ 'Cache-Control': value })),
  { 'X-Forwarded-Host': 'other.example', 'X-Forwarded-Prefix': '/api', 'X-Forwarded-Proto': 'https' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { Authorization: 'Bearer x', Cookie: 'a=b' },
  { Host: 'other.example' },
  { Connection: 'close' },
  { Expect: 'x' },
  { Upgrade: 'websocket', Connection: 'Upgrade' },
  { 'X-Long': 'x'.repeat(6000) },
  ...[8000, 9500].map((length) => ({ 'X-Long': 'x'.repeat(length) })),
];
const bodies = [
  ...['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({ method, size: 2 })),
  ...['GET', 'POST'].map((method) => ({ method, size: 16 * 1024 })),
  ...['GET', 'POST'].map((method) => ({ method, size: 16 * 1024 + 1 })),
];
const methods = ['OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'LOCK', 'QUERY'];

/** @type {Record<string, Asked[]>} */
const groups = {
  'products of the edges': gets(edges),
  'ids that are odd or unknown': gets(ids),
  'queries of lists': gets(['/products', '/products/', ...lists]),
  'includes and batches': [...gets(included), ...batches.map((path, index) => ({ name: `GET 50${index} ids`, path }))],
  'paths that are odd or unknown': gets(paths),
  'other methods': [
    ...withMethods([...edges, ...lists.slice(0, 30), '/products', '/products/x', '/products/51', '/nowhere'], ['HEAD']),
    ...withMethods([...routes, '/products/x', '/nowhere', '/openapi.json'], methods),
  ],
  'conditional requests and ranges': [
    ...withHeaders([...routes, '/products/51', '/products?count=300'], conditions),
    ...withHeaders(['/products/1'], conditions, 'HEAD'),
  ],
  encodings: [...withHeaders([...routes, '/products/51', '/products?count=300'], encodings)],
  'requests of other origins': [
    ...withHeaders([...routes, '/products/x', '/products/51', '/nowhere'], origins),
    ...withHeaders(['/products', '/products/1', '/nowhere', '/products/x'], preflights, 'OPTIONS'),
  ],
  'other headers': withHeaders(['/products?count=2', '/products/2', '/products/51'], others),
  'requests with a body': ['/products', '/products/1', '/nowhere'].flatMap((path) =>
    bodies.map(({ method, size }) => ({
      name: `${method} ${path} with ${size} bytes`,
      method,
      path,
      body: 'x'.repeat(size),
    })),
  ),
  'pages about the API': gets(['/openapi.json', '/llms.txt', '/docs', '/docs/', '/?q=x', '/client/nothing']),
  searches: [
    ...gets(searches),
    ...withMethods(['/search?count=1', '/suggest?q=ja', '/catalog'], ['HEAD', 'OPTIONS', 'POST']),
  ],
  skus: [
    ...gets(skus),
    { name: 'GET 501 skus', path: `/skus?ids=${Array.from({ length: 501 }, (_, index) => index + 1)}` },
    ...withMethods(['/skus/1', '/skus?ids=1', '/skus/999999'], ['HEAD', 'OPTIONS', 'POST']),
    ...withHeaders(['/skus/1', '/skus?ids=1,2'], conditions.slice(0, 3)),
  ],
  exports: [...gets(exported), ...withMethods(['/export', '/export?x=1'], ['HEAD', 'OPTIONS', 'POST', 'DELETE'])],
};

/** Bytes that no client library sends. @type {[name: string, bytes: string][]} */
const raw = [
  ['HTTP/1.0 without Host', 'GET /products/2 HTTP/1.0\r\n\r\n'],
  ['HTTP/1.1 without Host', 'GET /products/2 HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two Hosts', 'GET /products/2 HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
  ['an absolute target', 'GET http://a/products/2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['an absolute target without a path', 'GET http://a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['a target that is an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['an unknown method', 'GETS /products/2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['a space before the colon', 'GET /products/2 HTTP/1.1\r\nHost : a\r\nConnection: close\r\n\r\n'],
  ['a space in the target', 'GET /products/2 3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['a target that is not ASCII', 'GET /products/\xe9 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ['an unknown version', 'GET /products/2 HTTP/3.7\r\nHost: a\r\n\r\n'],
  ['no HTTP', 'hello\r\n\r\n'],
  [
    'an unknown transfer coding',
    'GET /products/2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\nConnection: close\r\n\r\n',
  ],
  ['a wrong length', 'GET /products/2 HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\nConnection: close\r\n\r\n'],
  [
    'two lengths',
    'GET /products/2 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nx',
  ],
  ['headers of 20 KB', `GET /products/2 HTTP/1.1\r\nHost: a\r\n${`X: ${'x'.repeat(1000)}\r\n`.repeat(20)}\r\n`],
  ['a target of 20 KB', `GET /products?x=${'a'.repeat(20000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
];

exports.groups = groups;
exports.raw = raw;
