'use strict';
const fs = require('node:fs');
const path = require('node:path');

const folder = path.join(__dirname, '../../../scripts/runbook');
const sections = ['Signs', 'Commands', 'It worked when', 'Undo'];

/** In which they are typed on machines. What a page needs, an earlier one has left. */
const order = `
  worker-down writer-down writes-waiting breaking-point machine-unwell monitoring-broken redis-down
  public-address-down balancer-lost certificate-renewal drain-a-node key-leaked hook-paused load-new-data undo-a-load
  search-behind restore-from-backup off-site-copy disk-filling outgrown switchover failover old-primary-back
  postgres-down two-primaries etcd-full etcd-member-lost etcd-lost deploy roll-back new-node rotate-a-secret`
  .trim()
  .split(/\s+/)
  .map((name) => `${name}.md`);

/** @type {Record<string, string>} why a page is not in the order */
const elsewhere = {
  'grow.md': 'it begins with one machine: --part grow',
  'restore-a-fleet.md': 'it needs a repository that all share: --part moment-three',
  'restore-to-a-moment.md': 'it is for a single server: --part moment',
  'upgrade-a-fleet.md': 'it begins with Debian 12: --part upgrade-three',
  'upgrade-the-distribution.md': 'it begins with Debian 12: --part upgrade',
};

/**
 * A block of commands. Its first line says where it is typed and when: "run" always, "drill" causes the event first, "fleet" needs
 * several nodes or their inventory, "writer" a host in that group.
 * @typedef {object} Block
 * @property {string} page
 * @property {string[]} on admin, lb, db, cache, app, monitor; or a node by name, such as app-2
 * @property {string} mark run, drill, fleet or writer; empty if the block has none
 * @property {string} commands
 */

/** @returns {string[]} file names */
const pages = () => fs.readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');

/** @param {string} page @returns {string} */
const textOf = (page) => fs.readFileSync(path.join(folder, page), 'utf8');

/** @param {string} page @returns {Block[]} in the order of the page */
function blocksOf(page) {
  const blocks = textOf(page).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, info, commands]) => {
    const [, on, mark] = /^sh on=([a-z0-9,-]+) (run|drill|fleet|writer)$/.exec(info) ?? [];
    return { page, on: on?.split(',') ?? [], mark: mark ?? '', commands };
  });
}

module.exports = { blocksOf, elsewhere, folder, order, pages, sections, textOf };
