'use strict';

/** The kinds of changes that a hook may choose; those of the catalog as a whole always go out. */
const KINDS = ['product.created', 'product.updated', 'product.deleted', 'stock.changed'];
const GROUPS = ['product.*', 'stock.*'];

/** @param {string[]} types of a hook, none for all @param {string} kind of a change */
const isWanted = (types, kind) =>
  types.length === 0 ||
  kind.startsWith('catalog.') ||
  types.includes(kind) ||
  types.includes(kind.replace(/\..*$/, '.*'));

exports.TYPES = [...GROUPS, ...KINDS];
exports.isWanted = isWanted;
