'use strict';
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');

/* An authority with an intermediate, and what an operator may bring of it. The folder has all that a shell would read in its name. */

const script = path.join(root, 'scripts/fleet/certificate.sh');
const { at, write } = useFolder('it\'s "a" $b', { shared: true });
const openssl = (/** @type {string[]} */ ...words) => execFileSync('openssl', words, { cwd: at(), stdio: 'pipe' });

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
  for (const [name, text] of Object.entries({ settings, 'index.txt': '', serial: '01\n' })) write(name, text);
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

/** @param {string} chain names of certificates @param {{ key?: string, own?: string, names?: string[] }} [more] own: the root that is given */
function check(chain, { key = `${chain.split(' ')[0]}.key`, own = 'root.pem', names = [] } = {}) {
  const texts = chain.split(' ').map((name) => name && fs.readFileSync(at(`${name}.pem`), 'utf8'));
  const words = [write('chain', `a comment\n${texts.join('')}`), at(key), own && at(own), ...names];
  const { status, stderr } = spawnSync(script, words, { encoding: 'utf8', timeout: 30_000 });
  return { status, stderr };
}

/** @type {[what: string, chain: string, more?: Parameters<typeof check>[1]][]} */
const right = [
  ['a chain to a root that is given', 'leaf middle'],
  ['a chain that ends with its root', 'leaf middle root', { own: '' }],
  ['names that public_urls has', 'leaf middle', { names: ['shop.example', '10.0.0.9'] }],
  ['a certificate that signed itself', 'alone', { own: '' }],
];
test.each(right)('takes %s', (_, chain, ...more) => {
  expect(check(chain, ...more)).toEqual({ status: 0, stderr: '' });
});

const untrusted = /does not lead to a trusted root/;
/** @type {[what: string, chain: string, says: RegExp, more?: Parameters<typeof check>[1]][]} */
const wrong = [
  ['a leaf without its intermediate', 'leaf', /does not lead to a trusted root .*fullchain\.pem/],
  ['a root that is neither trusted nor given', 'leaf middle', /a trusted root .*-e root=FILE/, { own: '' }],
  ['another root than the given', 'leaf middle', untrusted, { own: 'other.pem' }],
  ['an intermediate before the leaf', 'middle leaf', /first certificate .* does not belong to/, { key: 'leaf.key' }],
  ['certificates in a wrong order', 'leaf root middle', /certificate 2 .* did not sign the one before it/],
  ['a certificate that signed nothing', 'leaf middle other', /certificate 3 .* did not sign/],
  ['one that signed itself, with another', 'alone middle', /certificate 2 .* did not sign/],
  ['another key', 'leaf middle', /does not belong to/, { key: 'middle.key' }],
  ['an encrypted key', 'leaf middle', /locked\.key is encrypted, and nginx cannot ask/, { key: 'locked.key' }],
  ['a certificate as the key', 'leaf middle', /is no private key in PEM/, { key: 'leaf.pem' }],
  ['no key', 'leaf middle', /none\.key cannot be read/, { key: 'none.key' }],
  ['no certificate', '', /has no certificate in PEM/, { key: 'leaf.key' }],
  ['one that has ended', 'ended middle', /is no longer valid tomorrow/],
  ['one that is not valid yet', 'early middle', /is not valid yet/],
  ['one of a client', 'client middle', /does not lead to a trusted root .*purpose/],
  ['one with its name in the subject', 'b.example middle', /have it made with DNS:b\./, { names: ['b.example'] }],
  ['one of an address, with its name in the subject', 'c.example middle', /DNS:c\./, { names: ['c.example'] }],
  ['one with SHA-1', 'old middle', /too weak\): have one made for servers, with SHA-256/],
  ['one with a short key', 'short middle', /key too weak\): have one made .* 2048 bits/],
  ['one with a short key that signed itself', 'brief', /key too weak\)/, { own: '' }],
  ['one for another name', 'leaf middle', /is not for b\.example/, { names: ['shop.example', 'b.example'] }],
  ['one for another address', 'leaf middle', /is not for 10\.0\.0\.8/, { names: ['10.0.0.8'] }],
];
test.each(wrong)('refuses %s', (_, chain, says, ...more) => {
  expect(check(chain, ...more)).toEqual({ status: 1, stderr: expect.stringMatching(says) });
});
