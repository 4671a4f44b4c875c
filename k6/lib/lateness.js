import exec from 'k6/execution';
import { Trend } from 'k6/metrics';

/** From the moment at which a request is due until k6 starts it, to the millisecond. */
const late = new Trend('late', true);

/** k6 creates a new object for each access; one for each user is enough. */
let scenario;

/** Call it at the start of an iteration. The time of a request begins when it is sent, so k6's own delay is not in it. */
export function noteLateness() {
  scenario ??= exec.scenario;
  const dueMs = scenario.startTime + (scenario.iterationInTest * 1000) / Number(__ENV.ASKED_RATE);
  late.add(Math.max(0, Date.now() - dueMs));
}
