import { readFileSync } from 'node:fs';

/*
 * What is in no bundle.
 */

const { dependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

export const external = [
  ...Object.keys(dependencies),
  // Fastify loads these for schemas, which no route has, to be asked without a socket, and without a logger.
  ...['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'],
  'abstract-logging',
];
