'use strict';
const { atLeast, atMost, judge } = require('../judge');
const { rig } = require('./chain');

/** @import { Summary } from '../testbed/loadgen/observed' */
/** @import { Figures } from '../judge' */

/** A limit that the machine's speed decides: a short run does not judge it. @param {unknown} limit */
const timed = (limit) => (rig.short ? expect.any(Number) : limit);
/** @param {number} limit */
const inTime = (limit) => timed(atMost(limit));

const shownFailures = 3;
/** Every request gets 200 and the correct body. @param {Summary} summary @returns {Figures} */
const answered = ({ asked, ok, wrongBodies, failures }) => ({
  asked: [asked, atLeast(1)],
  notAnswered: [asked - ok, 0],
  wrongBodies: [wrongBodies, 0],
  failures: [failures.slice(0, shownFailures), []],
});

const p99RiseMs = 50;
/** Answered, and about as fast. @param {import('./traffic').Course} course @returns {Figures} */
const unnoticed = ({ all, before, settled }) => ({
  ...answered(all),
  p99RiseMs: [settled.p99Ms - before.p99Ms, inTime(p99RiseMs)],
});

/** @param {Summary} summary @returns {Figures} */
const inOrder = ({ asked, ok, shed, withoutRetryAfter, wrongBodies }) => ({
  neither200Nor503: [asked - ok - shed, 0],
  withoutRetryAfter: [withoutRetryAfter, 0],
  wrongBodies: [wrongBodies, 0],
});

module.exports = { answered, atLeast, atMost, inOrder, inTime, judge, timed, unnoticed };
