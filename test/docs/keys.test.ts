import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configFormat } from '../../src/config/format.js';
import { createManifestSchema } from '../../src/mutators/index.js';
import { objectiveSchema } from '../../src/objective/index.js';
import { toJsonSchema } from '../../src/toml/index.js';

/** The keys of all tables in a JSON Schema. */
function keysOf(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set();
  const own =
    'properties' in schema && !Array.isArray(schema)
      ? Object.keys(schema.properties as object)
      : [];
  return new Set([...own, ...Object.values(schema).flatMap((part) => [...keysOf(part)])]);
}

test.each([
  ['objectives.md', 13, objectiveSchema()],
  ['mutators.md', 26, createManifestSchema()],
  ['configuration.md', 8, toJsonSchema(configFormat, 'perturb.toml')],
])('docs/%s has every key of its file', (name, least, schema) => {
  const document = readFileSync(`docs/${name}`, 'utf8');
  const keys = [...keysOf(schema)];
  expect(keys.length).toBeGreaterThan(least);
  expect(keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(document))).toEqual([]);
});
