'use strict';
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { found, useEtcd } = require('../../helpers/etcd');
const { unless } = require('../../helpers/skip');

/* The tasks of the role, run by Ansible with etcd itself on addresses of loopback. */
jest.setTimeout(300_000);

const { describe: withEtcd } = unless(!found && 'no etcd here: apt-get install etcd-server etcd-client');
const voters = (/** @type {string} */ names) => [...names].map((name) => `${name} false`);

withEtcd('the members of etcd', () => {
  const { address, ctl, healthy, join, lose, members, type, unit } = useEtcd();
  /** @param {string} group */
  async function begin(group) {
    const { status, output } = join(group);
    expect([status, status ? output : '']).toEqual([0, '']);
    expect(await healthy(group)).toBe('');
    expect(ctl('a', 'put', 'key', 'kept').status).toBe(0);
  }
  const well = (/** @type {ReturnType<typeof join>} */ { status, output }) =>
    expect([status, status ? output : '']).toEqual([0, '']);

  test('grow from one to three to four with every key, and a second run changes nothing', async () => {
    await begin('a');
    for (const group of ['abc', 'abcd']) {
      well(join(group));
      expect(members('a')).toEqual(voters(group));
      expect(await healthy(group)).toBe('');
    }
    const again = join('abcd');
    expect(again.output.match(/changed=1 /g)).toHaveLength(4); // the start
    for (const name of 'abcd') expect(ctl(name, 'get', 'key').output).toContain('kept');
  });

  test.each(['added', 'started'])('a run that was cut when the last member was only %s is resumed', async (step) => {
    await begin('a');
    well(join('ac', 'a'));
    expect(ctl('a', 'member', 'add', 'c', '--learner', `--peer-urls=http://${address('c')}:2380`).status).toBe(0);
    if (step === 'started') {
      const cluster = [...'ac'].map((name) => `${name}=http://${address(name)}:2380`).join(',');
      const settings = `printf 'ETCD_INITIAL_CLUSTER=${cluster}\\nETCD_INITIAL_CLUSTER_STATE=existing\\n' >/etc/default/etcd-join`;
      expect(type('c', `${settings}; systemctl start etcd`).status).toBe(0);
      expect(await waitUntil(() => ctl('c', 'endpoint', 'status').status === 0, 60_000)).toBe(true);
    }
    well(join('abc'));
    expect(members('a')).toEqual(voters('abc'));
    expect(await healthy('abc')).toBe('');
  });

  test('one that lost its data joins again, while the others keep theirs', async () => {
    await begin('abc');
    lose('b');
    well(join('abc', 'b'));
    expect(members('b')).toEqual(voters('abc'));
    expect(await healthy('abc')).toBe('');
    expect(ctl('b', 'get', 'key').output).toContain('kept');
  });

  test('nothing joins while the others have no quorum, or while one is down', async () => {
    await begin('abc');
    unit('c', 'stop');
    const { status, output } = join('abcd', 'd');
    expect([status, output]).not.toEqual([0, output]);
    expect(output).toMatch(/unhealthy cluster|not enough started members/);
    expect(members('a')).toEqual(voters('abc'));
    lose('b');
    const refused = join('abc', 'b');
    expect(refused.status).not.toBe(0);
    expect(refused.output).toMatch(/b has no data of etcd, and those that may have some do not answer: a, c/);
    unit('c', 'start');
    expect(await healthy('ac')).toBe('');
    well(join('abc', 'b'));
    expect(await healthy('abc')).toBe('');
  });

  test('a member outside the group is named with its command, and removed by nobody else', async () => {
    await begin('abc');
    const refused = join('ab');
    expect(refused.status).not.toBe(0);
    const [, id] = /not in the group etcd: (\w+)\s+\(c, /.exec(refused.output) ?? [];
    // For a few seconds after a member joined, etcd says that it is unhealthy.
    expect(await waitUntil(() => ctl('a', 'member', 'remove', id).status === 0, 60_000)).toBe(true);
    well(join('ab'));
    expect(members('a')).toEqual(voters('ab'));
    const removed = join('abc', 'c');
    expect(removed.output).toMatch(/c was removed from etcd: there, run systemctl stop etcd; rm -rf /);
  });
});
