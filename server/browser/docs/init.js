'use strict';

// A file of its own because the page's Content-Security-Policy runs no inline script.
{
  // A proxy may put a prefix before /docs: the description names paths of the service, the browser needs the proxy's.
  const prefix = location.pathname.replace(/\/docs\/?$/, '');
  // @ts-expect-error SwaggerUIBundle comes from the script before this one
  SwaggerUIBundle({
    url: `${prefix}/openapi.json`,
    dom_id: '#docs',
    deepLinking: true,
    validatorUrl: null,
    requestInterceptor(/** @type {{ url: string, loadSpec?: boolean }} */ request) {
      if (!request.loadSpec) request.url = request.url.replace(location.origin, location.origin + prefix);
      return request;
    },
  });
}
