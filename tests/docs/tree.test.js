'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { documents, read, root, trackedFiles } = require('./sources');

const parts = ['server', 'etl', 'db', 'nginx', 'tests', 'k6', 'scripts'];
const files = [
  'package.json',
  'ecosystem.config.js',
  'README.md',
  // Tools and readers expect these at the top.
  'package-lock.json',
  'tsconfig.json',
  'eslint.config.js',
  'jest.config.js',
  'LICENSE',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
];

/** A heading as GitHub turns it into an anchor. @param {string} heading */
const slug = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** @param {string} text a document, without its code blocks */
const prose = (text) => text.replace(/```[\s\S]*?```/g, '');

describe('the tree', () => {
  const topLevel = [...new Set(trackedFiles().map((file) => file.split('/')[0]))];

  test('has at its top only the parts of the system and files that tools expect there', () => {
    const unexpected = topLevel.filter(
      (name) => !name.startsWith('.') && !parts.includes(name) && !files.includes(name),
    );
    expect(unexpected).toEqual([]);
    expect([...parts, ...files].filter((name) => !topLevel.includes(name))).toEqual([]);
  });

  test('matches the table of folders in the README', () => {
    const map = /^## The folders\n([\s\S]*)/m.exec(read('README.md'))?.[1] ?? '';
    const rows = map.match(/^\|\s*\[?`[^`]+`/gm) ?? [];
    const named = rows.map((row) => row.replace(/^[^`]*`|`$/g, '').replace(/\/$/, ''));
    expect(named).toEqual(expect.arrayContaining(parts));
    expect(named.filter((name) => !fs.existsSync(path.join(root, name)))).toEqual([]);
  });

  test('has a README in each part', () => {
    const without = parts.filter((part) => read(`${part}/README.md`).length < 200);
    expect(without).toEqual([]);
  });
});

describe('the documents', () => {
  test.each(documents())('%s has no broken link', (document) => {
    const text = prose(read(document));
    const targets = [...text.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1]);
    const broken = targets.filter((target) => {
      if (/^[a-z]+:/.test(target)) return false;
      const [file, anchor] = target.split('#');
      const full = file ? path.posix.join(path.posix.dirname(document), file) : document;
      if (!fs.existsSync(path.join(root, full))) return true;
      const headings = [...prose(read(full)).matchAll(/^#+ (.*)$/gm)].map((match) => slug(match[1]));
      return Boolean(anchor) && full.endsWith('.md') && !headings.includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('packages, OpenAPI documents and the newest dated heading of the changelog have one version', () => {
    const { version } = JSON.parse(read('package.json'));
    const lock = JSON.parse(read('package-lock.json'));
    const [newest] = [...read('CHANGELOG.md').matchAll(/^## \[([^\]]+)\] - \d{4}-\d\d-\d\d$/gm)].map(
      (match) => match[1],
    );
    const own = ['server/client/package.json'].map((file) => JSON.parse(read(file)).version);
    const open = ['server/openapi.json', 'server/writer/openapi.json'].map(
      (file) => JSON.parse(read(file)).info.version,
    );
    const all = [lock.version, lock.packages[''].version, newest, ...own, ...open];
    expect(all.filter((each) => each !== version)).toEqual([]);
  });

  test("no file contains a path of its author's machine", () => {
    // Built from parts, or this file would fail its own test. "me" and "you" are placeholders.
    const folders = ['work/', 'root/', 'tmp/spec/', '(?:home|Users)/(?!(?:me|you)\\b)'].join('|');
    const machinePath = new RegExp(`(?<![\\w.:~}*)-])/(?:${folders})\\w[\\w./-]*`);
    const guilty = trackedFiles()
      .map((file) => [file, machinePath.exec(read(file))?.[0]])
      .filter(([, found]) => found);
    expect(guilty).toEqual([]);
  });
});
