/** Goes to what is chosen in a form. The state is in the address, so back, reload and links work. */
export function choose(form: HTMLFormElement | null, history: 'assign' | 'replace' = 'assign') {
  if (!form) return;
  const chosen = [...new FormData(form)].flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  location[history](`${form.getAttribute('action')}?${new URLSearchParams(chosen)}`);
}

/** Shows each address without a new document. A browser that has no Navigation API loads one. */
export function followAddresses(show: () => Promise<void>) {
  void show();
  window.navigation?.addEventListener('navigate', (event) => {
    if (!event.canIntercept || event.hashChange) return;
    const isChoice = !event.userInitiated && new URL(event.destination.url).pathname === location.pathname;
    const handler = async () => {
      await show();
      const hasFocus = !event.userInitiated && document.activeElement !== document.body; // as while you type
      if (!hasFocus && !event.signal.aborted) document.querySelector('h1')?.focus({ preventScroll: true });
    };
    event.intercept({ handler, focusReset: 'manual', scroll: isChoice ? 'manual' : 'after-transition' });
  });
}
