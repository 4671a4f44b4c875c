'use strict';

/** Mozilla's "intermediate", guideline 5.7 (ssl-config.mozilla.org): every client of the last ten years. */
const ciphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'DHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-CHACHA20-POLY1305',
];
const twoYearsSeconds = 63_072_000;

/**
 * @typedef {object} Tls
 * @property {string} certificate absolute, with its chain
 * @property {string} key absolute
 * @property {number} port
 * @property {boolean} [http2] default true; not for an nginx with a known fault in it
 */

/**
 * Lines of the server block. "listen … http2", not "http2 on": nginx 1.22 supports only the first, later versions both.
 * @param {Tls | undefined} tls @param {(file: string) => string} quoted @param {boolean} ipv6Loopback
 */
function tlsLines(tls, quoted, ipv6Loopback) {
  if (!tls) return [];
  const how = `ssl${tls.http2 === false ? '' : ' http2'} default_server reuseport`;
  return [
    `listen ${tls.port} ${how};`,
    ...(ipv6Loopback ? [`listen [::1]:${tls.port} ${how};`] : []),
    `ssl_certificate ${quoted(tls.certificate)};`,
    `ssl_certificate_key ${quoted(tls.key)};`,
    'ssl_protocols TLSv1.2 TLSv1.3;',
    'ssl_ecdh_curve X25519:prime256v1:secp384r1;',
    `ssl_ciphers ${ciphers.join(':')};`,
    'ssl_prefer_server_ciphers off;  # every cipher is safe, and a phone picks the one that is cheap for it',
    'ssl_session_timeout 1d;',
    'ssl_session_cache shared:tls:10m;  # about 40,000 sessions',
    'ssl_session_tickets off;  # their key would live as long as nginx does',
    'add_header Strict-Transport-Security $hsts always;',
  ];
}

/** RFC 6797, 7.2: never sent over plain HTTP, and an empty header is not sent. @param {Tls | undefined} tls */
const hstsMap = (tls) =>
  tls ? [`map $https $hsts {`, `    on "max-age=${twoYearsSeconds}";`, '    default "";', '}'] : [];

module.exports = { hstsMap, tlsLines };
