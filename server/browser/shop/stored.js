/**
 * The browser's storage for this page. A browser that blocks it throws at the name alone: then nothing is kept, and all else works.
 * @param {() => Storage} storage
 */
export const stored = (storage) => ({
  /** @param {string} key @returns {string | null} */
  get(key) {
    try {
      return storage().getItem(key);
    } catch {
      return null;
    }
  },
  /** @param {string} key @param {string} value */
  set(key, value) {
    try {
      storage().setItem(key, value);
    } catch {
      // it is blocked or full
    }
  },
});
