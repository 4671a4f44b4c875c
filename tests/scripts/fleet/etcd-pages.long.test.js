'use strict';
const { blocksOf } = require('../../lab/machines/runbook');
const { found, useEtcd } = require('../../helpers/etcd');
const { unless } = require('../../helpers/skip');

/* Pages of the runbook, typed on members of etcd on addresses of loopback. */
jest.setTimeout(300_000);

const { describe: withEtcd } = unless(!found && 'no etcd here: apt-get install etcd-server etcd-client');

withEtcd('the runbook of etcd', () => {
  const { ctl, healthy, join, lose, members, type, unit } = useEtcd();
  /** @param {string} page @param {string} words of the block @returns {string} */
  function block(page, words) {
    const [only, ...others] = blocksOf(page).filter(({ commands }) => commands.includes(words));
    expect([words, others.length]).toEqual([words, 0]);
    return only.commands;
  }
  /** @param {string} group @param {string} key of which each member must have a copy */
  async function begin(group, key) {
    const { status, output } = join(group);
    expect([status, status ? output : '']).toEqual([0, '']);
    expect(await healthy(group)).toBe('');
    for (const name of group) expect(ctl(name, 'put', `${key}-${name}`, 'kept').status).toBe(0);
  }

  test('the member that is left of three keeps every key, and the play adds two others', async () => {
    await begin('abc', '/service/catalog');
    for (const name of 'bc') lose(name);
    expect(join('abc', 'bc').output).toContain('see scripts/runbook/etcd-lost.md');
    expect(type('a', block('etcd-lost.md', 'ETCD_FORCE_NEW_CLUSTER'))).toMatchObject({ status: 0 });
    expect(members('a')).toEqual(['a false']);
    const { status, output } = join('abc');
    expect([status, status ? output : '']).toEqual([0, '']);
    expect(type('b', block('etcd-lost.md', 'member list').replace('patronictl list', ''))).toMatchObject({ status: 0 });
    for (const name of 'abc')
      expect(ctl(name, 'get', '--prefix', '/service/catalog', '--keys-only').output.match(/catalog-[abc]/g)).toEqual(
        ['a', 'b', 'c'].map((each) => `catalog-${each}`),
      );
  });

  test('an etcd at its quota takes writes again', async () => {
    await begin('a', '/service/catalog');
    unit('a', 'restart', '--quota-backend-bytes=8388608');
    expect(await healthy('a')).toBe('');
    const large = 'x'.repeat(100_000);
    for (let tries = 0; tries < 300 && ctl('a', 'put', 'large', large).status === 0; tries += 1);
    expect(ctl('a', 'put', 'small', 'x').output).toContain('database space exceeded');
    expect(type('a', block('etcd-full.md', 'alarm disarm'))).toMatchObject({ status: 0 });
    const worked = block('etcd-full.md', 'etcdctl put').replace('patronictl list', '');
    expect(type('a', worked)).toMatchObject({ status: 0 });
    expect(ctl('a', 'get', '/service/catalog-a').output).toContain('kept');
  });
});
