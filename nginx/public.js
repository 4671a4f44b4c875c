'use strict';

/**
 * Lines of the server block for what is in front of nginx.
 * @param {string[]} trustedProxies CIDR of a cloud's balancer: the client is the last address in X-Forwarded-For that is not one of these.
 * Without it all clients would be one address for the rate limit and the log.
 * @param {string} [challenges] absolute: a folder where certbot --webroot puts the answers of its authority
 */
const publicLines = (trustedProxies, challenges) => [
  ...trustedProxies.map((network) => `set_real_ip_from ${network};`),
  ...(trustedProxies.length > 0 ? ['real_ip_header X-Forwarded-For;', 'real_ip_recursive on;'] : []),
  ...(challenges ? ['location ^~ /.well-known/acme-challenge/ {', `    root ${challenges};`, '}'] : []),
];

module.exports = { publicLines };
