import { KEY_HEADER } from '../../mutators/index.js';
import { type Endpoint, endpoints, schemas } from './api.js';

/**
 * The OpenAPI 3.1 document of the API, made from what the app is made from.
 *
 * @param version of Perturb
 * @param url where the API is, a base path included; relative to the document when absent
 */
export function openApiDocument({ version, url = '/' }: { version: string; url?: string }): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const operations = paths[endpoint.path] ?? {};
    paths[endpoint.path] = operations;
    operations[endpoint.method.toLowerCase()] = { operationId, ...operationOf(endpoint) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Mutator server',
      version,
      description:
        'Lists the mutators of a system, creates mutations and resets them. No answer has a body but the list.',
    },
    servers: [{ url }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        [KEY_HEADER]: {
          type: 'apiKey',
          in: 'header',
          name: KEY_HEADER,
          description: 'Required when the server was started with keys.',
        },
      },
    },
    security: [{}, { [KEY_HEADER]: [] }],
  };
}

function operationOf({ path, summary, body, answers }: Endpoint): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'The identifier of the mutator, percent-encoded.',
    schema: { type: 'string' },
  }));
  const responses = Object.entries(answers).map(([status, { description, schema }]) => [
    status,
    { description, ...(schema && { content: json(schema) }) },
  ]);
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: Object.fromEntries(responses),
  };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}
