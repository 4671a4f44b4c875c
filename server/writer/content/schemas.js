'use strict';

const { Ajv2020 } = require('ajv/dist/2020');

const { invalidBody } = require('../errors');
const { componentsWith, ownersIn } = require('./described');
const { NO_TEXT, isText } = require('./fields');
const { token } = require('./paths');
const { NO_TIME, isTime } = require('./visibility');

/** @typedef {import('ajv').ErrorObject} ErrorObject @typedef {import('../errors').BodyError} BodyError */
/** @typedef {import('../../catalog/declarations').Declaration} Declaration @typedef {import('./fields').Owner} Owner */
/** @typedef {(body: any) => void} Check throws a 422 for another body */
/** @typedef {Record<'product' | 'patch' | 'line' | 'rollback', Check>} Checks */
/**
 * Rules of products while a load is served.
 * @typedef {object} Rules
 * @property {Declaration} declaration of the load
 * @property {Checks} checks
 */

/** @param {ConstructorParameters<typeof Ajv2020>[0]} options @param {Owner[]} owners tables that have fields */
function compilerWith(options, owners) {
  const ajv = new Ajv2020({ strictTypes: false, formats: { text: isText, 'date-time': isTime }, ...options });
  // The description of the API is what checks it.
  return ajv.addKeyword('components').addSchema({ components: componentsWith(owners) }, 'writer');
}

/** @param {Ajv2020} ajv @param {'Product' | 'ProductPatch' | 'Rollback' | 'Visibility' | 'BulkLine' | 'Stock' | 'Quantity'} name of a schema @returns {Check} */
function requires(ajv, name) {
  const valid = ajv.compile({ $ref: `writer#/components/schemas/${name}` });
  return (body) => {
    if (!valid(body)) throw invalidBody((valid.errors ?? []).map(toBodyError));
  };
}

/** By the tables that have fields. @type {Map<string, Checks>} */
const known = new Map();

/** @param {Owner[]} owners @returns {Checks} */
function checksWith(owners) {
  const names = owners.join();
  let checks = known.get(names);
  if (!checks) {
    const ajv = compilerWith({ allErrors: true, discriminator: true }, owners);
    checks = {
      product: requires(ajv, 'Product'),
      patch: requires(ajv, 'ProductPatch'),
      line: requires(ajv, 'BulkLine'),
      rollback: requires(ajv, 'Rollback'),
    };
    known.set(names, checks);
  }
  return checks;
}

/** @param {Declaration} declaration @returns {Rules} */
const rulesOf = (declaration) => ({ declaration, checks: checksWith(ownersIn(declaration)) });

/** @param {ErrorObject} error @returns {BodyError} */
function toBodyError({ keyword, instancePath, params, message }) {
  if (keyword === 'additionalProperties') {
    const pointer = instancePath + token(params.additionalProperty);
    return { pointer, detail: 'is not a member that may be here.' };
  }
  if (keyword === 'discriminator') return { pointer: '/op', detail: 'must be create, put, patch, upsert or delete.' };
  if (keyword === 'required') return { pointer: instancePath + token(params.missingProperty), detail: 'is missing.' };
  if (keyword === 'format') return { pointer: instancePath, detail: params.format === 'text' ? NO_TEXT : NO_TIME };
  // Only prices have one.
  if (keyword === 'pattern') return { pointer: instancePath, detail: 'is not a price such as "120.00".' };
  return { pointer: instancePath, detail: `${message}.` };
}

/** Stops at the first error: a body of stock could have a million. */
const hasty = compilerWith({ strictTuples: false }, []);

exports.requireQuantity = requires(hasty, 'Quantity');
exports.requireRollback = checksWith([]).rollback;
exports.requireStock = requires(hasty, 'Stock');
exports.requireVisibility = requires(hasty, 'Visibility');
exports.rulesOf = rulesOf;
