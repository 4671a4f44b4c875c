'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const axe = require('axe-core');
const { chromium } = require('playwright-core');

const { startService } = require('./app');
const { loadSample } = require('./sample');

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const executable = (process.env.PATH ?? '')
  .split(path.delimiter)
  .flatMap((folder) => names.map((name) => path.join(folder, name)))
  .find((file) => fs.existsSync(file));

/** @typedef {import('./servers').TestDatabase} TestDatabase */

/** Why this machine cannot open a page; false when it can. @type {string | false} */
const withoutBrowser = executable ? false : 'no Chromium on PATH (Debian: apt-get install chromium)';

/** Products of the sample have this as photos, so that no test needs a network. */
const photo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="5"><rect width="4" height="5" fill="#9ab"/></svg>';

/** The product whose texts are markup; above the generated ones. */
const markupId = 1_000_000;

/** @param {string} data folder of the CSVs */
function addMarkup(data) {
  const add = (/** @type {string} */ file, /** @type {string} */ row) =>
    fs.appendFileSync(path.join(data, `${file}.csv`), `${row}\n`);
  const markup = '<img src=x onerror=window.hacked=1>';
  add(
    'product',
    `${markupId},"${markup} Marked Parka","<b>slogan</b>","<script>window.hacked=1</script>","<i>Odd</i>",99`,
  );
  add('styles', `9000001,${markupId},"<u>Blue</u>",null,99,1`);
  add('skus', `9000001,9000001,"<s>M</s>",8`);
  add('features', `9000001,${markupId},"<em>Fabric</em>","<a href=/x>Canvas</a>"`);
}

/**
 * A worker with the generated sample and a browser, for the tests of a `describe`. Requests of the API are counted at the worker.
 * @param {number} products @param {(data: string) => void} [change] of the CSVs in a folder
 * @param {import('./app').Settings} [settings] of the worker
 */
function useBrowser(products, change = addMarkup, settings = {}) {
  jest.setTimeout(90_000); // a browser beside other tests on a loaded two-core machine
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'explorer-'));
  fs.chmodSync(dir, 0o711); // nginx's own workers, "nobody" when we are root, pass through it
  const used =
    /** @type {{ url: string, browser: import('playwright-core').Browser, database: TestDatabase, dir: string, markupId: number }} */ ({
      dir,
      markupId,
    });
  /** @type {string[]} routes of the API, in the order of their replies */
  const replied = [];
  /** @type {Awaited<ReturnType<typeof startService>> | undefined} */
  let app;
  beforeAll(async () => {
    const database = await loadSample(dir, products, change);
    used.database = database;
    app = await startService({ DATABASE_URL: database.dsn('api'), ...settings });
    const note = (/** @type {string} */ route) => void (route === 'explorer' || replied.push(route));
    app.service.events.on('replied', note);
    app.service.events.on('repliedAtOnce', note);
    const browser = await openBrowser();
    Object.assign(used, { url: app.url, browser });
  });
  afterAll(async () => {
    await used.browser?.close();
    await app?.close();
    await used.database?.drop();
    fs.rmSync(dir, { recursive: true });
  });
  return Object.assign(used, {
    /** The routes that were answered since the last call. */
    replies: () => replied.splice(0),
    /** @param {object} [options] of the context */
    open: (options) => openPage(used.browser, { baseURL: used.url, ...options }),
  });
}

/**
 * A page of the catalog for each test of a `describe`.
 * @param {number} products @param {(data: string) => void} [change] as in useBrowser
 */
function usePage(products, change) {
  const used = useBrowser(products, change);
  /** @type {Awaited<ReturnType<typeof openPage>>} */
  let opened;
  beforeEach(async () => {
    opened = await used.open();
    used.replies();
  });
  afterEach(() => opened?.context.close());
  return Object.assign(used, {
    page: () => opened.page,
    errors: () => opened.errors,
    /** Waits for the heading of a view. @param {string | RegExp} name */
    heading: (name) => opened.page.getByRole('heading', { level: 1, name }).waitFor(),
  });
}

/** Names resolve nowhere: what a page loads from elsewhere fails. */
const openBrowser = () =>
  chromium.launch({
    executablePath: executable,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1', '--no-sandbox', '--disable-dev-shm-usage'],
  });

/**
 * A page that notes what goes wrong in it. Photos of the sample are there.
 * @param {import('playwright-core').Browser} browser @param {import('playwright-core').BrowserContextOptions} options
 */
async function openPage(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} errors of scripts, the console and the policy */
  const errors = [];
  page.on('pageerror', (error) => void errors.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  await page.route(/^https?:\/\/images\.example\.com\//, (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: photo }),
  );
  return { context, page, errors };
}

/**
 * Runs axe once nothing loads or fades: text that is half transparent has too little contrast.
 * @param {import('playwright-core').Page} page @returns {Promise<string[]>} rules, each with an element that breaks it
 */
async function axeFinds(page) {
  await page.waitForFunction(() => {
    const fades = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return !document.querySelector('[aria-busy=true]') && fades.every(({ playState }) => playState === 'finished');
  });
  await page.evaluate(axe.source);
  const { violations } = /** @type {import('axe-core').AxeResults} */ (await page.evaluate('axe.run()'));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
}

/**
 * Answers a request only when told to.
 * @param {import('playwright-core').Page} page @param {string} pattern of its URL
 * @returns {Promise<{ asked: Promise<unknown>, release: () => Promise<unknown> }>} `release` waits until the page has the reply, or had aborted
 *   the request
 */
async function hold(page, pattern) {
  const asked = Promise.withResolvers();
  const released = Promise.withResolvers();
  const over = Promise.withResolvers();
  await page.route(pattern, async (route) => {
    const end = (/** @type {import('playwright-core').Request} */ request) =>
      void (request === route.request() && over.resolve(null));
    page.on('requestfinished', end);
    page.on('requestfailed', end);
    asked.resolve(null);
    await released.promise;
    await route.continue().catch(() => over.resolve(null)); // aborted
  });
  const release = async () => {
    released.resolve(null);
    await over.promise;
    await page.evaluate(() => new Promise((drawn) => void requestAnimationFrame(() => requestAnimationFrame(drawn))));
  };
  return { asked: asked.promise, release };
}

module.exports = { axeFinds, hold, openBrowser, openPage, useBrowser, usePage, withoutBrowser };
