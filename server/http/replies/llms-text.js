'use strict';

/**
 * llms.txt (llmstxt.org) from the description: what this is, and a line for each operation.
 * @param {string} description JSON of openapi.json @returns {string} Markdown
 */
function llmsText(description) {
  const { info, paths } = JSON.parse(description);
  const [about] = info.description.split('\n', 1);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => `- ${method.toUpperCase()} ${path}: ${summary}`),
  );
  return `# ${info.title}

> ${about}

## Routes

${operations.join('\n')}

## More

- [Every parameter, reply and error](openapi.json): OpenAPI 3.1
- [The same as a page](docs)
- [A shop window over these routes](.)
`;
}

exports.llmsText = llmsText;
