import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { createManifestSchema, loadManifest, manifestRules } from '../../src/mutators/index.js';
import { lint, objectiveSchema, rules } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { perturb } from './program.js';

/* The schemas in `grammar/` are what the program prints; the build writes them. */

const FORMAT = ['invalid-duration', 'missing-key', 'unknown-key', 'wrong-type', 'invalid-value'];

test.each(['objective', 'manifest', 'results'])(
  'grammar/%s.schema.json is in step',
  async (kind) => {
    const { code, stdout } = await perturb(['schema', kind]);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`../../grammar/${kind}.schema.json`);
  },
);

test('schema api prints the three endpoints', async () => {
  const { code, stdout } = await perturb(['schema', 'api']);
  expect(code).toBe(0);
  const { openapi, paths } = JSON.parse(stdout);
  expect(openapi).toBe('3.1.1');
  const endpoints = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item as object)
      .filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key))
      .map((method) => `${method} ${path}`),
  );
  expect(endpoints.sort()).toEqual([
    'delete /mutator/{mutator_correlation_id}/mutation',
    'get /mutator',
    'post /mutator/{mutator_correlation_id}/mutation',
  ]);
});

/** A validator of TOML text that shares no code with Perturb. */
function validator(schema: object): (text: string) => boolean {
  const validate = new Ajv({ allowUnionTypes: true, strictNumbers: false }).compile(
    JSON.parse(JSON.stringify(schema)),
  );
  return (text) => validate(toPlain(parse(text, { integersAsBigInt: 'asNeeded' })));
}

/** A value as editors hand it to validators: plain objects, arrays, numbers and strings. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toPlain(one)]));
}

function files(directory: string, ending: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${directory}/${name}`)
    .sort();
}

const objectives = files('fixtures/objective', '.objective.toml');

/** The format mistakes in an objective, or undefined for a file that is not TOML. */
function mistakes(text: string): string[] | undefined {
  const found = lint(decodeSource('x.toml', Buffer.from(text))).map(({ rule }) => rule);
  return found.some((rule) => rule.startsWith('toml/'))
    ? undefined
    : found.filter((rule) => FORMAT.some((name) => rule === `objective/${name}`));
}

test('an objective fits the schema when it has no mistake of format, and else it does not', () => {
  const isValid = validator(objectiveSchema());
  const texts = [
    ...objectives.map((path) => readFileSync(path, 'utf8')),
    ...rules
      .filter(({ id }) => /^(objective|catalog|ignore)\//.test(id))
      .flatMap(({ examples }) => [examples.fails, examples.passes]),
  ].filter((text) => mistakes(text) !== undefined);
  const verdicts = texts.map(isValid);
  expect(verdicts).toEqual(texts.map((text) => mistakes(text)?.length === 0));
  expect(new Set(verdicts)).toEqual(new Set([true, false]));
});

test('a manifest fits the schema when it has no finding', () => {
  const isValid = validator(createManifestSchema());
  const manifests = [
    ...files('fixtures', '.mutators.toml').map((path) => readFileSync(path, 'utf8')),
    ...manifestRules.map(({ examples }) => examples.passes),
  ];
  const clean = manifests.filter(
    (text) => loadManifest(decodeSource('m.toml', Buffer.from(text))).findings.length === 0,
  );
  expect(clean.length).toBeGreaterThan(manifestRules.length);
  expect(clean.map(isValid)).toEqual(clean.map(() => true));
});

test('a manifest with a key missing, unknown or of a wrong type does not fit', () => {
  const isValid = validator(createManifestSchema());
  const failing = manifestRules.filter(({ id }) =>
    ['missing-key', 'unknown-key', 'wrong-type'].some((name) => id === `manifest/${name}`),
  );
  expect(failing).toHaveLength(3);
  expect(failing.map(({ examples }) => isValid(examples.fails))).toEqual([false, false, false]);
});
