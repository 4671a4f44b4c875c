'use strict';

// A file of its own because the page's Content-Security-Policy runs no inline script.
// @ts-expect-error SwaggerUIBundle comes from the script before this one
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null });
