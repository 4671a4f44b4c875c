'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../../scripts/lib/runtime');

/* An authority with an intermediate, and what an operator may bring of it. The folder has all that a shell would read in its name. */

const script = path.join(root, 'scripts/fleet/certificate.sh');
/** @type {string} */
let dir;
const at = (/** @type {string} */ name) => path.join(dir, name);
const text = (/** @type {string} */ name) => fs.readFileSync(at(name), 'utf8');
const openssl = (/** @type {string[]} */ ...words) => execFileSync('openssl', words, { cwd: dir, stdio: 'pipe' });

const settings = `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[authority]
basicConstraints = critical, CA:true
[leaf]
subjectAltName = DNS:shop.example, IP:10.0.0.9
[unnamed]
basicConstraints = CA:false
[address]
subjectAltName = IP:10.0.0.9
[client]
extendedKeyUsage = clientAuth
`;
const ec = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
const always = ['20260101000000Z', '20990101000000Z'];
/** @param {string} name @param {string} by @param {string} kind @param {string[]} [days] from, to @param {{ newkey?: string[], digest?: string }} [more] */
function sign(name, by, kind, [from, to] = always, { newkey = ec, digest = 'sha256' } = {}) {
  const key = ['-newkey', ...newkey, '-nodes', '-keyout', `${name}.key`];
  openssl('req', '-new', ...key, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
  const own = by === name ? ['-selfsign', '-keyfile', `${name}.key`] : ['-cert', `${by}.pem`, '-keyfile', `${by}.key`];
  const words = ['-batch', '-notext', '-config', 'settings', '-extensions', kind, '-startdate', from, '-enddate', to];
  openssl('ca', ...words, '-md', digest, ...own, '-in', `${name}.csr`, '-out', `${name}.pem`);
}

beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), `it's "a" $b-`));
  fs.writeFileSync(at('settings'), settings);
  fs.writeFileSync(at('index.txt'), '');
  fs.writeFileSync(at('serial'), '01\n');
  sign('root', 'root', 'authority');
  sign('other', 'other', 'authority');
  sign('middle', 'root', 'authority');
  sign('leaf', 'middle', 'leaf');
  sign('alone', 'alone', 'leaf');
  sign('client', 'middle', 'client');
  sign('b.example', 'middle', 'unnamed');
  sign('c.example', 'middle', 'address');
  sign('old', 'middle', 'leaf', always, { digest: 'sha1' });
  sign('short', 'middle', 'leaf', always, { newkey: ['rsa:1024'] });
  sign('brief', 'brief', 'leaf', always, { newkey: ['rsa:1024'] });
  sign('ended', 'middle', 'leaf', ['20260101000000Z', '20260201000000Z']);
  sign('early', 'middle', 'leaf', ['20980101000000Z', '20990101000000Z']);
  openssl('pkey', '-in', 'leaf.key', '-aes256', '-passout', 'pass:secret', '-out', 'locked.key');
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

/** @param {string[]} chain names of certificates @param {{ key?: string, own?: string, names?: string[] }} [more] own: a root that is given */
function check(chain, { key = `${chain[0]}.key`, own = '', names = [] } = {}) {
  fs.writeFileSync(at('chain'), `a comment\n${chain.map((name) => text(`${name}.pem`)).join('')}`);
  const words = [at('chain'), at(key), own && at(own), ...names];
  const { status, stderr } = spawnSync(script, words, { encoding: 'utf8', timeout: 30_000 });
  return { status, stderr };
}

const own = 'root.pem';
/** @type {[what: string, chain: string[], more: Parameters<typeof check>[1]][]} */
const right = [
  ['a chain to a root that is given', ['leaf', 'middle'], { own }],
  ['a chain that ends with its root', ['leaf', 'middle', 'root'], {}],
  ['names that public_urls has', ['leaf', 'middle'], { own, names: ['shop.example', '10.0.0.9'] }],
  ['a certificate that signed itself', ['alone'], {}],
];
test.each(right)('takes %s', (_, chain, more) => {
  expect(check(chain, more)).toEqual({ status: 0, stderr: '' });
});

/** @type {[what: string, chain: string[], more: Parameters<typeof check>[1], says: RegExp][]} */
const wrong = [
  ['a leaf without its intermediate', ['leaf'], { own }, /does not lead to a trusted root .*fullchain\.pem/],
  [
    'a chain to a root that is neither trusted nor given',
    ['leaf', 'middle'],
    {},
    /does not lead to a trusted root .*-e root=FILE/,
  ],
  [
    'a chain to another root than the given',
    ['leaf', 'middle'],
    { own: 'other.pem' },
    /does not lead to a trusted root/,
  ],
  [
    'an intermediate before the leaf',
    ['middle', 'leaf'],
    { key: 'leaf.key', own },
    /first certificate .* does not belong to/,
  ],
  [
    'certificates in a wrong order',
    ['leaf', 'root', 'middle'],
    { own },
    /certificate 2 .* did not sign the one before it/,
  ],
  ['a certificate that signed nothing', ['leaf', 'middle', 'other'], { own }, /certificate 3 .* did not sign/],
  ['one that signed itself, with another', ['alone', 'middle'], { own }, /certificate 2 .* did not sign/],
  ['another key', ['leaf', 'middle'], { key: 'middle.key', own }, /does not belong to/],
  [
    'an encrypted key',
    ['leaf', 'middle'],
    { key: 'locked.key', own },
    /locked\.key is encrypted, and nginx cannot ask/,
  ],
  ['a certificate as the key', ['leaf', 'middle'], { key: 'leaf.pem', own }, /is no private key in PEM/],
  ['no key', ['leaf', 'middle'], { key: 'none.key', own }, /none\.key cannot be read/],
  ['no certificate', [], { key: 'leaf.key', own }, /has no certificate in PEM/],
  ['one that has ended', ['ended', 'middle'], { own }, /is no longer valid tomorrow/],
  ['one that is not valid yet', ['early', 'middle'], { own }, /is not valid yet/],
  ['one of a client', ['client', 'middle'], { own }, /does not lead to a trusted root .*purpose/],
  [
    'one with its name in the subject',
    ['b.example', 'middle'],
    { own, names: ['b.example'] },
    /have it made with DNS:b\./,
  ],
  [
    'one of an address, with its name in the subject',
    ['c.example', 'middle'],
    { own, names: ['c.example'] },
    /DNS:c\./,
  ],
  ['one with SHA-1', ['old', 'middle'], { own }, /too weak\): have one made for servers, with SHA-256/],
  ['one with a short key', ['short', 'middle'], { own }, /key too weak\): have one made .* 2048 bits/],
  ['one with a short key that signed itself', ['brief'], {}, /key too weak\)/],
  ['one for another name', ['leaf', 'middle'], { own, names: ['shop.example', 'b.example'] }, /is not for b\.example/],
  ['one for another address', ['leaf', 'middle'], { own, names: ['10.0.0.8'] }, /is not for 10\.0\.0\.8/],
];
test.each(wrong)('refuses %s', (_, chain, more, says) => {
  expect(check(chain, more)).toEqual({ status: 1, stderr: expect.stringMatching(says) });
});
