import exec from 'k6/execution';
import { Gauge, Trend } from 'k6/metrics';

/** From the moment at which a request is due until k6 starts it, to the millisecond. */
const late = new Trend('late', true);

/** Requests a second that a rising rate has reached. */
const reached = new Gauge('reached_rate');

/** k6 creates a new object for each access; one for each user is enough. */
let scenario;

/** @param {number} seconds since the start; k6 interpolates between two doublings @returns {number} requests a second */
function risenTo(seconds) {
  const doublings = seconds / Number(__ENV.DOUBLING_SECONDS);
  const whole = Math.floor(doublings);
  return Math.round(Number(__ENV.RISES_FROM) * 2 ** whole * (1 + doublings - whole));
}

/** Call it at the start of an iteration. The time of a request begins when it is sent, so k6's own delay is not in it. */
export function noteLateness() {
  scenario ??= exec.scenario;
  if (__ENV.RISES_FROM) return void reached.add(risenTo((Date.now() - scenario.startTime) / 1000));
  const dueMs = scenario.startTime + (scenario.iterationInTest * 1000) / Number(__ENV.ASKED_RATE);
  late.add(Math.max(0, Date.now() - dueMs));
}
