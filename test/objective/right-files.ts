import { type Catalog, createCatalog, loadManifest } from '../../src/mutators/index.js';
import { decodeSource } from '../../src/source/index.js';
import type { Dice } from '../dice.js';
import { rewrite, shuffled, type Table, type Value } from './rewrite.js';

/** A file without a mistake, and the mutators that it is right for. */
export interface RightFile {
  readonly text: string;
  readonly catalog: Catalog;
}

interface Mutator {
  readonly name: string;
  readonly probe: string;
  readonly tag: string;
  readonly kind: keyof typeof PARAMS;
}

/** A parameter of each kind in a manifest, and constraints that it takes. */
const PARAMS = {
  float: {
    listing: 'type = "float"\nhard_range = [-5.0, 40]',
    constraints: [
      { range: [-5n, 40n] },
      { range: [{ writings: ['0.5', '5e-1'] }, { writings: ['1e1', '10.0'] }] },
    ],
  },
  integer: {
    listing: 'type = "integer"\nhard_range = [0, 9_223_372_036_854_775_807]',
    constraints: [{ range: [0n, 9_223_372_036_854_775_807n] }, { range: [7n, 7n] }],
  },
  string: {
    listing: 'type = "string"\nhard_range = ["backup", "primary"]',
    constraints: [{ range: ['primary', 'backup'] }, { range: ['c', 'c'] }],
  },
  boolean: { listing: 'type = "boolean"', constraints: undefined },
  enum: {
    listing: 'type = "enum"\noptions = ["gust", "st\\"eady", "größe"]',
    constraints: [{ enum_options: ['gust', 'größe'] }, { enum_options: ['st"eady'] }],
  },
} as const satisfies Record<string, { listing: string; constraints: readonly Table[] | undefined }>;

/** A random file in any layout of TOML, with a catalog of several probes and tags. */
export function rightFile(dice: Dice): RightFile {
  const mutators = randomMutators(dice);
  return { text: rewrite(dice, objective(dice, mutators)), catalog: catalogOf(mutators) };
}

function randomMutators(dice: Dice): Mutator[] {
  const places = ['wind', 'link', 'größe 2'].flatMap((name) =>
    ['GAZEBO', 'PX4', 'a.b'].map((probe) => ({ name, probe })),
  );
  return shuffled(dice, places)
    .slice(0, 1 + dice.upTo(5))
    .map((place) => ({
      ...place,
      tag: dice.pick(['drone', 'ship']),
      kind: dice.pick(Object.keys(PARAMS) as (keyof typeof PARAMS)[]),
    }));
}

function catalogOf(mutators: readonly Mutator[]): Catalog {
  const tables = mutators.map(({ name, probe, tag, kind }, index) =>
    [
      `[[mutator]]\nid = "m${index}"\nname = "${name}"\nprobe = "${probe}"\ntags = ["${tag}"]`,
      `[[mutator.param]]\nname = "p"\n${PARAMS[kind].listing}`,
      '[mutator.actuator]\nkind = "exec"\ninject = ["./set", "{p}"]\nreset = ["./clear"]',
    ].join('\n'),
  );
  const { manifest, findings } = loadManifest(
    decodeSource('m.toml', Buffer.from(tables.join('\n'))),
  );
  if (manifest === undefined) throw new Error(JSON.stringify(findings.map((one) => one.message)));
  return createCatalog(manifest.mutators.map((mutator) => ({ ...mutator, origin: 'm.toml' })));
}

function objective(dice: Dice, mutators: readonly Mutator[]): Table {
  const chosen = dice.pick(mutators);
  const tagged = mutators.filter(({ tag }) => tag === chosen.tag);
  const byTag = dice.upTo(1) === 0;
  const left = byTag ? tagged : mutators;
  const isGlobal = dice.upTo(2) === 0;
  const precondition = { mutation_precondition: rightExpression(dice, 'precondition') };
  const used = shuffled(dice, left).slice(0, dice.upTo(left.length));
  return {
    name: dice.pick(['Wind', "it's 🌬", 'a "b" \\ c']),
    mutation_constraints: {
      max_concurrent_mutations: BigInt(1 + dice.upTo(7)),
      ...(byTag && { mutator_tags: [chosen.tag] }),
      ...(isGlobal && precondition),
    },
    ...(used.length > 0 && {
      mutator: used.map((one) => ({
        ...placeOf(dice, one, left),
        ...constraintsOf(dice, one),
        ...(!isGlobal && dice.upTo(1) === 0 && precondition),
      })),
    }),
    measurement: Array.from({ length: 1 + dice.upTo(2) }, (_, index) => ({
      name: `m${index}`,
      check: rightExpression(dice, 'check'),
      ...(dice.upTo(1) === 0 && { should_pass: dice.upTo(1) === 0 }),
      ...(dice.upTo(2) === 0 && { stopping_conditions: { failing_measurements: 2n } }),
    })),
    stopping_conditions: { attempts: 10n, time: dice.pick(['2h 30min', '1.5h', '900ms']) },
  };
}

/** Without the probe only where the name alone tells which mutator is meant. */
function placeOf(dice: Dice, { name, probe }: Mutator, left: readonly Mutator[]): Table {
  const only = left.filter((one) => one.name === name).length === 1;
  return only && dice.upTo(1) === 0 ? { name } : { name, probe };
}

function constraintsOf(dice: Dice, { kind }: Mutator): Table {
  const choices: readonly Table[] | undefined = PARAMS[kind].constraints;
  if (choices === undefined) return {};
  return { param_constraints: [{ name: 'p', ...dice.pick(choices) }] };
}

/** An expression that no rule reports. */
export function rightExpression(dice: Dice, role: 'check' | 'precondition'): Value {
  const labels = shuffled(dice, ['a', 'b', 'late', '`größe`', '`match`']).slice(
    0,
    1 + dice.upTo(2),
  );
  const patterns = labels.map((label) => `(${condition(dice)}) AS ${label}`);
  const clauses = [
    `MATCH ${patterns.join(dice.pick([', ', ',', ' ,\n  ']))}`,
    ...tie(dice, labels),
    ...(role === 'check' && dice.upTo(1) === 0 ? [`AGGREGATE ${measures(dice, labels)}`] : []),
  ];
  return clauses.join(dice.pick([' ', '\n', ' # a note\n']));
}

/** Each part has attributes of its own, so none contradicts another. */
function condition(dice: Dice): string {
  const parts = [
    dice.pick(["name = 'CRASH'", "'CRASH' = name", 'CRASH @ GAZEBO', "'a b' @ `PX 4`"]),
    dice.pick(['severity > 3', 'severity >= -1.5e3', '(5 < severity AND severity < 9)']),
    dice.pick(['order_id = source.order_id', 'source.line != line', 'x > y', 'level = `limit`']),
    dice.pick(['armed = TRUE', 'payload.mode != "LAND"', "(mode = 'a' OR mode = 'b')"]),
  ];
  const chosen = shuffled(dice, parts).slice(0, 1 + dice.upTo(3));
  return chosen.join(dice.pick([' AND ', ' and ', '\n  AND ', ' OR ']));
}

/** WHEN or FILTER that ties all labels together. */
function tie(dice: Dice, labels: readonly string[]): string[] {
  const [first, ...others] = labels;
  const compared = others.map((label) => `${label}.id = ${first}.source.id`);
  const ordered = others.length > 0 ? [`WHEN ${labels.join(' -> ')}`] : [];
  const filtered = [`FILTER ${[...compared, `${first}.t > 5`].join(' AND ')}`];
  return dice.pick([
    compared.length > 0 ? filtered : [],
    ordered.length > 0 ? ordered : filtered,
    shuffled(dice, [...ordered, ...filtered]) as string[],
  ]);
}

function measures(dice: Dice, labels: readonly string[]): string {
  const label = dice.pick(labels);
  const all = ['count() > 2', `max(${label}.t) < 80`, `mean(${label}.x.y) >= min(${label}.t)`];
  return shuffled(dice, all)
    .slice(0, 1 + dice.upTo(2))
    .join(', ');
}
