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

/** @param {number} requests before this one @returns {number} seconds since the start at which a rising rate has it sent */
function risingDue(requests) {
  const [period, from] = [Number(__ENV.DOUBLING_SECONDS), Number(__ENV.RISES_FROM)];
  const inFirst = 1.5 * from * period; // a rate that rises from r to 2r sends 1.5 r a second
  const whole = Math.floor(Math.log2(requests / inFirst + 1));
  const rest = requests - inFirst * (2 ** whole - 1);
  return period * (whole - 1 + Math.sqrt(1 + (2 * rest) / (from * 2 ** whole * period)));
}

/** Call it at the start of an iteration. The time of a request begins when it is sent, so k6's own delay is not in it. */
export function noteLateness() {
  scenario ??= exec.scenario;
  const { iterationInTest, startTime } = scenario;
  const seconds = (Date.now() - startTime) / 1000;
  if (__ENV.RISES_FROM) reached.add(risenTo(seconds));
  const due = __ENV.RISES_FROM ? risingDue(iterationInTest) : iterationInTest / Number(__ENV.ASKED_RATE);
  late.add(Math.max(0, (seconds - due) * 1000));
}
