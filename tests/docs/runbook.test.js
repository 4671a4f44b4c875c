'use strict';
const { blocksOf, pages, sections, textOf } = require('../lab/machines/runbook');
const { read, trackedFiles } = require('./sources');

const events = [
  'balancer-lost',
  'breaking-point',
  'certificate-renewal',
  'deploy',
  'disk-filling',
  'drain-a-node',
  'etcd-full',
  'etcd-lost',
  'etcd-member-lost',
  'failover',
  'grow',
  'hook-paused',
  'key-leaked',
  'load-new-data',
  'machine-unwell',
  'monitoring-broken',
  'new-node',
  'off-site-copy',
  'old-primary-back',
  'outgrown',
  'postgres-down',
  'public-address-down',
  'redis-down',
  'restore-a-fleet',
  'restore-from-backup',
  'restore-to-a-moment',
  'roll-back',
  'rotate-a-secret',
  'search-behind',
  'switchover',
  'two-primaries',
  'undo-a-load',
  'upgrade-a-fleet',
  'upgrade-the-distribution',
  'worker-down',
  'writer-down',
  'writes-waiting',
];

test('each event has a page, and the index names every page', () => {
  expect(pages()).toEqual(events.map((event) => `${event}.md`));
  const index = read('scripts/runbook/README.md');
  expect(pages().filter((page) => !index.includes(`](${page})`))).toEqual([]);
});

describe.each(pages())('%s', (page) => {
  test('has signs, commands, a check and an undo, on one screen', () => {
    const headings = [...textOf(page).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(sections);
    expect(textOf(page).trimEnd().split('\n').length).toBeLessThanOrEqual(64);
  });

  test('marks every block with its place and with what a test does', () => {
    expect(blocksOf(page).length).toBeGreaterThan(0);
    expect(blocksOf(page).filter(({ mark, on }) => !mark || on.length === 0)).toEqual([]);
    const node = /^(admin|monitor|mon-1|(lb|db|cache|app)(-[1-9])?)$/;
    const places = blocksOf(page).flatMap(({ on }) => on);
    expect(places.filter((place) => !node.test(place))).toEqual([]);
  });

  test('names only catalog- commands that exist on a node', () => {
    const made = trackedFiles('scripts/fleet/roles').map(read).join('\n');
    const named = textOf(page).match(/\bcatalog-(?!workers\b|nginx\b|backup\.)[a-z0-9]+\b/g) ?? [];
    expect(named.filter((name) => !made.includes(name))).toEqual([]);
  });
});
