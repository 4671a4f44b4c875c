import { check } from 'k6';
import { Rate } from 'k6/metrics';
import { outlines, shapes } from './shapes.js';

/** Requests without a right answer, whatever was wrong. */
const errors = new Rate('errors');

/** A body that is no JSON, or lacks what its shape reads, is a wrong one: an exception would leave it uncounted. */
function fits(route, body, wanted) {
  if (!outlines[route](body, wanted)) return false;
  // Not read once above: a scenario's environment is there only when its users run.
  if (Math.random() >= Number(__ENV.PARSED_SHARE || 1)) return true;
  try {
    return shapes[route](JSON.parse(body), wanted); // not reply.json(), which loses the order of keys
  } catch {
    return false;
  }
}

/**
 * @param {import('k6/http').Response} response
 * @param {keyof typeof shapes} route
 * @param {import('./shapes.js').Wanted} wanted
 */
export function checkReply(response, route, wanted) {
  const right = check(
    response,
    {
      [`${route}: status 200`]: (reply) => reply.status === 200,
      [`${route}: the body of the contract`]: (reply) => reply.status === 200 && fits(route, reply.body, wanted),
    },
    { route },
  );
  errors.add(!right, { route });
}
