import { isDeepStrictEqual } from 'node:util';
import {
  createValueLookup,
  fillJson,
  fillText,
  fillValue,
} from '../../../src/actuators/template.js';
import {
  type Actuator,
  loadManifest,
  type ManifestMutator,
  manifestRules,
  type ParameterValues,
  parseValue,
  readListing,
  resolveParams,
  writeListing,
} from '../../../src/mutators/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { tomlRules } from '../../../src/toml/index.js';
import { type AttributeValue, writeJson } from '../../../src/values/index.js';
import { toBytes } from '../bytes.js';
import { readCorpus } from '../corpus.js';
import { holdFindings } from '../findings.js';
import { holdNewObjective } from '../new-objective.js';
import { hold, kindOf, type Target } from '../target.js';
import { TOML_TOKENS } from './toml-tokens.js';

const TOKENS = [
  ...['mutator', 'param', 'actuator', 'id', 'name', 'type', 'hard_range', 'options', 'default'],
  ...['least_effect', 'units', 'description', 'distribution', 'scaling', 'layer', 'operation'],
  ...['statefulness', 'probe', 'tags', 'max_active', 'group', 'safety', 'kind', 'inject', 'reset'],
  ...['timeout', 'cwd', 'env', 'method', 'url', 'headers', 'body', 'path', 'template', 'key'],
  ...['value', 'format', '"exec"', '"http"', '"file"', '"module"', '"integer"', '"float"'],
  ...['"boolean"', '"string"', '"enum"', '"10s"', '"1h 5min"', '{speed}', '{{speed}}', '{env:A}'],
  ...['{env:}', '{', '}', '{{', '}}', '"{speed}"', 'http://127.0.0.1:80/', 'https://[::1]/?a=b#c'],
  ...['http://{speed}@a/', '%zz', '..', '[0, 1]', '[-inf, inf]', '[1.5, 0.5]', '["a", "z"]'],
  ...['[[mutator]]\n', '[[mutator.param]]\nname = "p"\n', '[mutator.actuator]\nkind = "file"\n'],
  ...[`body = '{"a": "{speed}", "b": [1, "{{x}}"]}'`, '{"__proto__": 1}', '\\u0000'],
];

const IDS = new Set([...manifestRules, ...tomlRules].map(({ id }) => id));
const VALUES = ['', '0', '-1', '1.5', 'nan', 'inf', 'true', 'gust', '{speed}', "'$(a)`\n", '🌡'];

/** Manifests of mutators: loading any bytes, and filling in the templates of what was loaded. */
export function manifestTarget(): Target {
  return {
    name: 'manifest',
    seeds: [
      ...readCorpus(['fixtures/mutators'], 'mutators.toml'),
      ...readCorpus(['examples/mutators'], 'mutators.toml'),
      ...readCorpus(['fixtures/objective/catalog'], 'mutators.toml'),
      ...manifestRules.flatMap(({ examples }) => Object.values(examples)),
    ],
    tokens: [...TOKENS, ...TOML_TOKENS],
    run(input) {
      const decoded = decodeSource('mutators.toml', toBytes(input));
      const { manifest, findings } = loadManifest(decoded);
      holdFindings(decoded.source.text, findings);
      const isRefused = findings.some(({ severity }) => severity === 'error');
      hold((manifest === undefined) === isRefused, 'neither loaded nor refused');
      hold(
        findings.every(({ rule }) => IDS.has(rule)),
        'a finding of an unlisted rule',
      );
      const mutators = manifest?.mutators ?? [];
      holdListing(mutators);
      if (mutators.length > 0) holdNewObjective(mutators);
      for (const mutator of mutators) for (const text of VALUES) holdTemplates(mutator, text);
      return [
        ...findings.map(({ rule, message }) => `${rule} ${kindOf(message)}`),
        ...mutators.flatMap(traitsOf),
      ];
    },
  };
}

function traitsOf({ actuator, parameters, attributes: _, ...rest }: ManifestMutator): string[] {
  const types = parameters.map(({ type, hardRange }) => `${type} ${hardRange !== undefined}`);
  return [...types, ...Object.keys(actuator), actuator.kind, ...Object.keys(rest)];
}

/** What a server would list reads as the same mutators. */
function holdListing(mutators: readonly ManifestMutator[]): void {
  const text = writeListing(mutators);
  const listing = readListing(text);
  hold('mutators' in listing, 'a listing that is not one');
  hold(
    listing.warnings.length === 0,
    `a listing with: ${kindOf(listing.warnings[0]?.message ?? '')}`,
  );
  hold(writeListing(listing.mutators) === text, 'a listing that is written differently once read');
  hold(
    isDeepStrictEqual(
      new Set(listing.mutators.map(({ id }) => id)),
      new Set(mutators.map(({ id }) => id)),
    ),
    'a listing with other ids',
  );
}

/** Every template can be filled with whatever values the mutator accepts. */
function holdTemplates(mutator: ManifestMutator, text: string): void {
  const given = new Map<string, AttributeValue>();
  for (const parameter of mutator.parameters) {
    const read = parseValue(parameter, text);
    const value = 'value' in read ? read.value : parameter.options?.[0]?.value;
    if (value !== undefined) given.set(parameter.key, value);
  }
  const resolved = resolveParams(mutator, given);
  if ('values' in resolved) fill(mutator.actuator, resolved.values);
}

function fill(actuator: Actuator, values: ParameterValues): void {
  if (actuator.kind === 'module') return;
  const given = createValueLookup(actuator.placeholders, values);
  switch (actuator.kind) {
    case 'exec':
      for (const template of actuator.inject) fillText(template, given);
      return;
    case 'http': {
      const { url, body } = actuator.inject;
      const filled = new URL(fillText(url, given, encodeURIComponent));
      hold(/^https?:$/.test(filled.protocol), 'a URL that is not of HTTP');
      const { origin } = new URL(fillText(url, given, () => 'x'));
      hold(filled.origin === origin, 'a value that leads to another server');
      if (body !== undefined) JSON.parse(writeJson(fillJson(body, given)));
      return;
    }
    case 'file':
      if (actuator.content.kind === 'template') fillText(actuator.content.template, given);
      else fillValue(actuator.content.value, given);
  }
}
