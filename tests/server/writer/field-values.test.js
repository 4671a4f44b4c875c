'use strict';

const { execFileSync } = require('node:child_process');

const { createRandom } = require('../../../scripts/generate/random');
const { python, root } = require('../../../scripts/lib/runtime');
const { exactJson, parseExact } = require('../../../server/writer/content/exact');
const { fieldErrors, orderedFields } = require('../../../server/writer/content/fields');
const { declarationOf } = require('../../../server/catalog/declarations');
const { createCatalog } = require('../../helpers/database');
const { DECLARED } = require('../../helpers/declared');

const declaration = declarationOf(DECLARED);

/** @param {string} name @param {string} json of its value @returns {string | null} as the writer keeps it; null: refused */
function written(name, json) {
  const fields = parseExact(`{"${name}":${json}}`);
  return fieldErrors({ fields }, declaration).length > 0
    ? null
    : exactJson(orderedFields(fields, declaration.products));
}

/** A number of JSON, in any form. @param {(bound: number) => number} below */
function literal(below) {
  const digits = (/** @type {number} */ most) =>
    Array.from({ length: 1 + below(most) }, () => (below(3) ? below(10) : 0)).join('');
  const whole = below(4) ? digits(18).replace(/^0+(?=\d)/, '') : '0';
  const places = below(2) ? `.${digits(12)}` : '';
  return `${below(4) ? '' : '-'}${whole}${places}${below(3) ? '' : `e${['', '+', '-'][below(3)]}${below(3)}`}`;
}

test('a number is kept as PostgreSQL prints it without zeros at its end', async () => {
  const below = createRandom(20261128);
  const literals = Array.from({ length: 3000 }, () => literal(below));
  const catalog = await createCatalog();
  const { rows } = await catalog.client.query(
    'SELECT trim_scale(text::numeric)::text AS number FROM unnest($1::text[]) WITH ORDINALITY AS given (text, place) ORDER BY place',
    [literals],
  );
  await catalog.drop();
  expect(literals.map((each) => written('weight_g', each))).toEqual(rows.map(({ number }) => `{"weight_g":${number}}`));
});

test.each([
  ['of 20 digits', '1e19', '10000000000000000000'],
  ['of 21 digits', '1e20', null],
  ['of all places', '99999999999999999999.999999999999999999', '99999999999999999999.999999999999999999'],
  ['of 18 places', '1e-18', '0.000000000000000001'],
  ['of 19 places', '1e-19', null],
  ['that is 0 with an exponent', '0e999999999999', '0'],
  ['with a huge exponent', '1e-999999999999', null],
  ['of 100,000 places', `0.${'0'.repeat(100_000)}1`, null],
])('a number %s is kept or refused whole', (_, sent, kept) => {
  expect(written('weight_g', sent)).toBe(kept && `{"weight_g":${kept}}`);
});

test('values are those that the loader takes from files', () => {
  const dates = [
    '2026-01-31',
    '2024-02-29',
    '2023-02-29',
    '2026-02-30',
    '0000-01-01',
    '0001-01-01',
    '2026-13-01',
    '2026-1-1',
  ];
  const times = [
    'T09:30',
    'T24:00',
    'T09:30Z',
    'T09:30:00.123456789+02:00',
    'T09:30:60',
    'T09',
    ' 09:30',
    'T09:30z',
    'T09:30+24:00',
    '\n',
  ];
  const texts = ['a', '', '"\\', 'ü\u2028\u0001', ' x ', '\u{1f45f}'];
  const lists = ['a|b|a', '|', ' a |\tb\n', 'a||b', '\u00a0a|a', ''];
  const given = [
    ...[...dates, ...times.map((time) => dates[0] + time)].map((text) => ['launched', 'date', text]),
    ...texts.map((text) => ['brand', 'text', text]),
    ...lists.map((text) => ['tags', 'list', text]),
  ]; // prettier-ignore
  const program = `
import json, sys
from etl.rows.declared import member
from etl.tables import Field
def made(name, kind, text):
    field = Field(name, kind, name, "|" if kind == "list" else None, False, None, False, False, False, "reject")
    try:
        return "{" + ((member(text, field)[0] if text else None) or "") + "}"
    except ValueError:
        return None
print(json.dumps([made(*each) for each in json.load(sys.stdin)]))`;
  const input = JSON.stringify(given);
  const loaded = JSON.parse(execFileSync(python, ['-c', program], { cwd: root, encoding: 'utf8', input }));
  const own = given.map(([name, type, text]) =>
    written(name, JSON.stringify(type === 'list' ? text.split('|') : text)),
  );
  expect(own.map((each, index) => [given[index], each])).toEqual(given.map((each, index) => [each, loaded[index]]));
  expect(own.filter((each) => each === null).length).toBeGreaterThan(5);
});
