'use strict';
const { scripts } = require('../../../package.json');

test.each(Object.entries(scripts))(
  'a signal to npm reaches "npm run %s", because the shell that npm starts is replaced',
  (_, script) => {
    // Without exec, dash stays between them: SIGTERM ends npm and the shell, and the stack keeps running.
    expect(script).toMatch(/^exec node /);
  },
);
