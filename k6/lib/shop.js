import exec from 'k6/execution';
import { getAll } from './target.js';

const ofShop = ['sitemap', 'feed', 'ucp', 'mcp'];

/** Only scenarios of a shop need to know. @returns {boolean} whether the service has the profile of a shop */
export const readShop = () =>
  Object.values(exec.test.options.scenarios).some((one) => ofShop.includes(one.exec)) &&
  'shop' in JSON.parse(getAll(['/catalog'])[0].body);
