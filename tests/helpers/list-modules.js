'use strict';

// Preloaded into a worker: reports which files it has loaded.
process.on('message', (message) => {
  if (message === 'modules') process.send?.(Object.keys(require.cache));
});
// Listening alone must not keep the worker from ending.
process.channel?.unref();
