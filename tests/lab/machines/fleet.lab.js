'use strict';
const { get, inventory, makeFleet, routes, shapeOf, useMachines } = require('./use-machines');

/* Each machine of three has a database and workers, and they share the other roles; then one gets one role more. */

const three = shapeOf('three');
const { addresses, address, text } = three;
const { admin, machines, release } = useMachines(addresses, (fleet) => makeFleet(fleet, three));
const [first] = Object.values(machines);

const site = () => admin.must('admin', `npm run -s fleet -- site -e release_file=${release}`);
const changed = async () => (await site()).match(/^.*(changed|failed|unreachable)=[1-9].*$/gm) ?? [];

test('a second run of the site changes nothing', async () => {
  expect(await changed()).toEqual([]);
});

test('the four routes answer', async () => {
  for (const route of routes) JSON.parse(await first.must(`${get} 'http://${address}${route}'`));
});

test('only expected sockets listen', async () => {
  for (const machine of Object.values(machines)) await machine.must('catalog-listening');
});

test('one more role on a machine keeps its passwords', async () => {
  const passwords = await first.must('cat /etc/catalog/loader.env');
  admin.write(inventory, text.replace('cache: { hosts: {', 'cache: { hosts: { node-1: {},'));
  await site();
  expect(await changed()).toEqual([]);
  expect(await first.must('cat /etc/catalog/loader.env')).toBe(passwords);
  for (const own of Object.values(addresses))
    expect(await first.must(`${get} http://${own}:9030/readyz`)).toMatch(/"database":"up".*"cache":"up"/);
});
