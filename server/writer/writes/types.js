'use strict';

/* The values of a write, in the order in which it passes through them. A stage makes the next one, and changes none that it is given. */

/** @typedef {import('../content/shape').Content} Content @typedef {import('../database/served').Served & { rules: import('../content/schemas').Rules }} Served with what products may become */

/** @typedef {{ keyId: string, actor: string, onBehalf: string | null, reason: string | null, requestId: string | null }} Who */
/** @typedef {{ key: string, fingerprint: string }} Idempotency */
/**
 * A request to write, with a body that fits its schema.
 * @typedef {object} Write
 * @property {'create' | 'put' | 'patch' | 'upsert' | 'delete' | 'rollback' | 'hide' | 'publish' | 'due'} kind upsert: a patch that also makes what
 *   is not there, under the ids of files; due: what was planned, of no request
 * @property {number | null} id null: a new product, or those of the body that are due
 * @property {any} body product, patch, content of a revision, or times of a visibility
 * @property {number} size bytes of the body that was sent
 * @property {string | undefined} ifMatch
 * @property {boolean} ifDeleted `If-None-Match: *`
 * @property {Who} who
 * @property {Idempotency | null} idempotency
 * @property {object} [bulk] the request that it is a line of
 * @property {Idempotency & { lineOf: (stored: string) => number | null }} [content] of a line: the key of its bytes, and the number under
 *   which an earlier request has done them, if its line of that number has others
 */

/** @typedef {{ status: number, headers: Record<string, string>, body: string }} Reply */
/** @typedef {Reply & { key_id: string, key: string, fingerprint: string }} Request a reply as it is stored for repeats */
/**
 * A product as a transaction finds it.
 * @typedef {object} Found
 * @property {import('../content/shape').Own} own
 * @property {Content} content
 * @property {string} digest of its public reply
 */
/** @typedef {{ revision: number, kind: string, actor: string | null, is_of_other_load: boolean, content: any }} LastRevision */
/**
 * The products and replies that the writes name.
 * @typedef {object} Read
 * @property {ReadonlyMap<number, Found>} products those that exist
 * @property {ReadonlyMap<number, LastRevision>} last of products
 * @property {ReadonlyMap<string, Request>} stored by `requestKey`
 * @property {Served} served
 */

/** @typedef {{ before: Content | null, after: Content | null }} Difference null: there is no product; keys of new styles and skus have no ids yet */
/** @typedef {{ reply?: Reply, problem?: unknown, difference?: Difference }} Decision on a write, at most one of them; none: it changes nothing */
/** @typedef {{ styles: ReadonlySet<number>, skus: ReadonlyMap<number, number> }} Once ids that a product had, skus with their last quantities */
/**
 * A write with its decision, and what that names.
 * @typedef {object} Case
 * @property {Write} write
 * @property {Decision} decision
 * @property {Once} once
 * @property {{ kind: string, id: number } | undefined} taken a style or sku that comes back, and is another product's by now
 * @property {Content | undefined} was what the product of a late patch was under the ETag of the patch
 */
/**
 * The rows that the decisions name.
 * @typedef {object} Named
 * @property {readonly Case[]} cases one a write
 * @property {ReadonlySet<number>} targets products that exist, of those that are newly named as related
 * @property {boolean} hasKeys whether a style or sku that comes back can be found by its id
 * @property {ReadonlySet<number>} referring products that name deleted ones as related
 */
/** @typedef {Read & Named} State all that a transaction has read */

/**
 * @typedef {object} Change of one product
 * @property {number} id 0: not given yet
 * @property {Content | null} before @property {Content | null} after
 * @property {ReadonlyMap<number, number>} quantities of skus that come back
 */
/**
 * The end of a write, or of a change that it brings with it (isAsked is false): another product named a deleted one.
 * @typedef {Readonly<{ write: Write, isAsked: boolean, reply?: Reply, problem?: unknown, change?: Readonly<Change> }>} Plan
 */

/** @typedef {{ id: number, kind: 'created' | 'updated' | 'deleted', has_card: boolean }} Rebuilt */
/**
 * The plans as they were done.
 * @typedef {object} Applied
 * @property {readonly Plan[]} plans with ids for all that is new
 * @property {readonly Rebuilt[]} rebuilt
 * @property {ReadonlyMap<number, Found>} products changed ones that are left, as they are now
 * @property {ReadonlyMap<number, number>} removed last quantities of the skus that are gone
 */

module.exports = {};
