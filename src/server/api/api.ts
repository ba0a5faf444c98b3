/*
 * The three endpoints that the requirements define. The app registers its routes from this table, and `openApiDocument`
 * generates the OpenAPI document from it.
 */

import * as Type from 'typebox';
import {
  ACTIVITY_HEADER,
  FORGET_HEADER,
  HOLD_HEADER,
  KEY_HEADER,
  RUN_HEADER,
} from '../../mutators/index.js';
import { publish } from '../../records/index.js';
import {
  MUTATION_SCHEMA,
  MUTATOR_SCHEMA,
  REQUEST_HEADERS,
  RESPONSE_HEADERS,
  type RequestHeader,
} from './wire-records.js';

/** An endpoint's response status. The response has a body only if `schema` is present. */
interface ApiAnswer {
  readonly description: string;
  readonly schema?: Type.TSchema;
}

interface ApiEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path below the base path, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** The endpoint's request headers that are specific to Perturb. */
  readonly headers: readonly RequestHeader[];
  readonly body?: Type.TSchema;
  readonly answers: Readonly<Record<number, ApiAnswer>>;
}

const MUTATORS = '/mutator';
const MUTATIONS = '/mutator/{mutator_correlation_id}/mutation';
const noKey = { description: `Missing \`${KEY_HEADER}\` request header` };
const badHeader = { description: `${noKey.description}, or a header with an unknown value` };
const noMutator = { description: 'Target mutator not found' };
const failed = { description: 'Internal mutator error' };
const tooLarge = { description: 'The body is too large' };

/** Endpoints, by operation name. */
export const endpoints = {
  listMutators: {
    method: 'GET',
    path: MUTATORS,
    summary: 'Lists all mutators, sorted by id.',
    headers: [RUN_HEADER, ACTIVITY_HEADER],
    answers: {
      200: { description: 'Mutators listed', schema: Type.Array(MUTATOR_SCHEMA) },
      400: badHeader,
      401: { description: 'Unauthorized to view mutators' },
    },
  },
  createMutation: {
    method: 'POST',
    path: MUTATIONS,
    summary: "Creates a mutation, overriding the mutator's state in the system.",
    headers: [RUN_HEADER],
    body: MUTATION_SCHEMA,
    answers: {
      201: { description: 'Mutation created' },
      400: { description: `${noKey.description}, or an invalid mutation for the mutator` },
      401: { description: 'Unauthorized to create mutations' },
      404: noMutator,
      409: { description: 'Another run is using the server' },
      413: tooLarge,
      500: failed,
    },
  },
  deleteMutations: {
    method: 'DELETE',
    path: MUTATIONS,
    summary:
      "Resets all of the mutator's mutations, and thereby the mutator's state in the system.",
    headers: [RUN_HEADER, HOLD_HEADER, FORGET_HEADER],
    answers: {
      200: { description: 'Mutations reset' },
      400: badHeader,
      401: { description: 'Unauthorized to delete mutations' },
      404: noMutator,
      413: tooLarge,
      500: failed,
    },
  },
} as const satisfies Readonly<Record<string, ApiEndpoint>>;

export type Operation = keyof typeof endpoints;

/**
 * Generates the API's OpenAPI 3.1 document from the table that defines the app's routes.
 *
 * @param version Perturb's version
 * @param url the API's URL, including any base path (default: relative to the document)
 */
export function openApiDocument({ version, url = '/' }: { version: string; url?: string }): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const operations = paths[endpoint.path] ?? {};
    paths[endpoint.path] = operations;
    operations[endpoint.method.toLowerCase()] = { operationId, ...toOperationObject(endpoint) };
  }
  const { schema, definitions } = publish(paths, '#/components/schemas/');
  return {
    openapi: '3.1.1',
    info: {
      title: 'Mutator server',
      version,
      description:
        "Lists a system's mutators, creates mutations and resets mutations. Only the list response has a body.",
    },
    servers: [{ url }],
    paths: schema,
    components: {
      schemas: definitions,
      securitySchemes: {
        [KEY_HEADER]: {
          type: 'apiKey',
          in: 'header',
          name: KEY_HEADER,
          description: 'Required if the server was started with keys.',
        },
      },
    },
    security: [{}, { [KEY_HEADER]: [] }],
  };
}

function toOperationObject({ path, summary, headers, body, answers }: ApiEndpoint): object {
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'The percent-encoded mutator identifier.',
    schema: { type: 'string' },
  }));
  const headerParameters = headers.map((name) => ({
    name,
    in: 'header',
    ...toHeaderObject(REQUEST_HEADERS[name]),
  }));
  const parameters = [...pathParameters, ...headerParameters];
  const answerHeaders = Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, schema]) => [name, toHeaderObject(schema)]),
  );
  const responses = Object.entries(answers).map(([status, { description, schema }]) => [
    status,
    { description, headers: answerHeaders, ...(schema && { content: jsonContent(schema) }) },
  ]);
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: jsonContent(body) } }),
    responses: Object.fromEntries(responses),
  };
}

function toHeaderObject({
  description,
  ...schema
}: Type.TSchema & { description?: string }): object {
  return { ...(description !== undefined && { description }), schema };
}

function jsonContent(schema: object): object {
  return { 'application/json': { schema } };
}
