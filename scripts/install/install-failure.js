'use strict';
const { fullDisk, saysFull } = require('../lib/disk');
const { root } = require('../lib/runtime');

/* Why pip, venv or npm failed, in words that name the cause and the next step. */

/** @type {[RegExp, string][]} what a tool says of a cause, and what to do */
const causes = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERTIFICATE_VERIFY_FAILED/,
    'the certificate of the server or proxy is signed by an authority that this machine does not know: add that to the ' +
      "system's store (Debian, Ubuntu: /usr/local/share/ca-certificates/NAME.crt, then update-ca-certificates), or name its " +
      'file in SSL_CERT_FILE',
  ],
  [
    /failed to map segment from shared object|\bspawnSync \S* ?EACCES\b/,
    'the disk of the clone is mounted noexec: mount it with exec, or clone the repository elsewhere',
  ],
  [
    /ensurepip is not available|No module named '?(venv|ensurepip)\b/,
    'its venv module is incomplete; Debian, Ubuntu: apt-get install python3-venv',
  ],
];

/** @param {string} output @returns {string} the lines that say why: the first errors, else the last lines */
function reasonIn(output) {
  const lines = output.split('\n').filter((line) => line.trim().length > 'npm error'.length);
  const errors = lines.filter((line) => /^(npm error (?!A complete log|code)|ERROR: )/.test(line));
  return (errors.length > 0 ? errors.slice(0, 3) : lines.slice(-4)).join('\n  ');
}

/**
 * @param {string} output of the tool that failed
 * @param {string} [otherwise] what to do when no cause is recognised
 * @returns {string}
 */
function causeOf(output, otherwise = '') {
  const said = output.replaceAll(root, ''); // the name of a folder may be any word
  const known = saysFull(said) ? fullDisk(root) : causes.find(([pattern]) => pattern.test(said))?.[1];
  return [known ?? otherwise, reasonIn(output)].filter(Boolean).join('\n  ');
}

module.exports = { causeOf };
