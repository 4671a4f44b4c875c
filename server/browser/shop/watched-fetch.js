/**
 * @typedef {object} Watched a request of the page
 * @property {string} url absolute
 * @property {boolean} typing whether it completes what is being typed
 * @property {number} startedMs on the page's clock
 * @property {number} status 0: no reply
 * @property {number} ms from the start to the last byte
 * @property {number | null} sentBytes as they came through the network, compressed and with headers; 0: none did
 * @property {boolean} isUnchanged whether the browser had the body, and the service confirmed it
 * @property {number | null} bodyBytes unpacked
 */

/** Browsers report this for the transfer of any 304 (Resource Timing, 4.3). */
const UNCHANGED_BYTES = 300;

/**
 * A fetch that remembers what it did. The browser measures; bytes that it does not report stay null.
 * @param {() => void} changed called when a figure is new
 */
export function watchFetch(changed) {
  /** @type {Watched[]} since the view began */
  let requests = [];

  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const timing = /** @type {PerformanceResourceTiming} */ (entry);
      const watched = requests.findLast(
        ({ url, startedMs }) => url === timing.name && startedMs <= timing.startTime + 1,
      );
      if (!watched || timing.responseEnd === 0) continue;
      watched.ms = timing.responseEnd - timing.startTime;
      watched.sentBytes = timing.transferSize;
      watched.isUnchanged = timing.transferSize === UNCHANGED_BYTES && timing.encodedBodySize > UNCHANGED_BYTES;
      watched.bodyBytes = timing.decodedBodySize;
      changed();
    }
  }).observe({ type: 'resource' });

  /** @param {string} url absolute @param {RequestInit} init */
  async function watchedFetch(url, init) {
    /** @type {Watched} */
    const watched = {
      url,
      typing: new URL(url).pathname.endsWith('/suggest'),
      startedMs: performance.now(),
      status: 0,
      ms: 0,
      sentBytes: null,
      bodyBytes: null,
      isUnchanged: false,
    };
    requests.push(watched);
    try {
      const response = await fetch(url, init);
      watched.status = response.status;
      return response;
    } finally {
      watched.ms = performance.now() - watched.startedMs;
      changed();
    }
  }

  return {
    fetch: watchedFetch,
    /** Begins a view. */
    forget: () => void (requests = []),
    /** @param {boolean} typing */
    requests: (typing) => requests.filter((each) => each.typing === typing),
  };
}
