import exec from 'k6/execution';
import { getAll } from './target.js';

/** Only scenarios that read sitemaps need to know. @returns {boolean} whether the service has the profile of a shop */
export const readShop = () =>
  Object.values(exec.test.options.scenarios).some((one) => one.exec === 'sitemap') &&
  'shop' in JSON.parse(getAll(['/catalog'])[0].body);
