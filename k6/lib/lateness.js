import exec from 'k6/execution';
import { Trend } from 'k6/metrics';

/** From the moment at which a request falls due until k6 begins with it, to the millisecond. */
const late = new Trend('late', true);

/** k6 makes it anew whenever it is asked for it; one for each user is enough. */
let scenario;

/**
 * At the start of an iteration. A request's own time begins when it is sent: what k6 lost before is not in it. Takes 5 µs of
 * the 450 that a request costs k6.
 */
export function noteLateness() {
  scenario ??= exec.scenario;
  const dueMs = scenario.startTime + (scenario.iterationInTest * 1000) / Number(__ENV.ASKED_RATE);
  late.add(Math.max(0, Date.now() - dueMs));
}
