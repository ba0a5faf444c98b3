import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/*
 * Synthetic systems with a known cause of failure, as a run leaves them on the disk. Nothing here comes from
 * Perturb's own code, so that both can be wrong only independently.
 */

export const KINDS = [
  'threshold',
  'joint',
  'option',
  'presence',
  'missing',
  'latency',
  'attribute',
  'reordering',
] as const;

export type Kind = (typeof KINDS)[number];

export interface Planted {
  readonly kind: Kind;
  /** What a statement about the cause must contain: each of these texts. */
  readonly names: readonly string[];
  readonly failing: number;
  readonly attempts: number;
}

/** Random numbers from 0 to 1 that a seed determines (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Mutator {
  readonly id: string;
  readonly params: readonly Param[];
}

type Param =
  | {
      readonly name: string;
      readonly low: number;
      readonly high: number;
      readonly isWhole: boolean;
    }
  | { readonly name: string; readonly options: readonly string[] };

/** What an attempt mutates: for each mutator in its set, the values of its parameters. */
type MadeSet = ReadonlyMap<string, Readonly<Record<string, number | string>>>;

const NOUNS = ['gateway', 'orders', 'stock', 'payment', 'mailer', 'cache'] as const;
const OPTIONS = ['plain', 'burst', 'slow', 'reset'] as const;

/** Writes a run with a planted cause, and returns that cause. */
export function plantRun(directory: string, seed: number, kind: Kind, attempts = 30): Planted {
  const random = randomFrom(seed * 7919 + 13);
  const whole = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const mutators = NOUNS.slice(0, whole(4, 6)).map((id): Mutator => {
    const delay = { name: 'delay', low: 0, high: whole(4, 20) * 100, isWhole: true };
    const share = { name: 'share', low: 0, high: 1, isWhole: false };
    const mode = { name: 'mode', options: OPTIONS.slice(0, whole(2, 4)) };
    return { id, params: [delay, random() < 0.5 ? share : mode] };
  });
  const first = mutators[whole(0, mutators.length - 1)] as Mutator;
  const second = mutators.find((one) => one !== first) as Mutator;
  if (kind === 'option') {
    (first as { params: readonly Param[] }).params = [
      ...first.params.slice(0, 1),
      { name: 'mode', options: OPTIONS.slice(0, 3) },
    ];
  }
  const draw = (param: Param): number | string => {
    if ('options' in param) return param.options[whole(0, param.options.length - 1)] as string;
    if (param.isWhole) return whole(param.low, param.high);
    return Math.round((param.low + random() * (param.high - param.low)) * 1e6) / 1e6;
  };
  const drawSet = (): MadeSet => {
    const most = whole(1, 3);
    const chosen = [...mutators].sort(() => random() - 0.5).slice(0, most);
    return new Map(
      chosen.map(({ id, params }) => [
        id,
        Object.fromEntries(params.map((param) => [param.name, draw(param)])),
      ]),
    );
  };
  const delay = first.params[0] as Extract<Param, { low: number }>;
  const border = Math.round(delay.high * (0.3 + random() * 0.3));
  const near = Math.round((second.params[0] as Extract<Param, { low: number }>).high * 0.35);
  const valueAt = (set: MadeSet, { id }: Mutator, name: string) => set.get(id)?.[name];
  const isLate = (set: MadeSet, mutator: Mutator, from: number) =>
    Number(valueAt(set, mutator, 'delay') ?? -1) >= from;
  const causes: Readonly<Record<Kind, (set: MadeSet) => boolean>> = {
    threshold: (set) => isLate(set, first, border),
    joint: (set) => isLate(set, first, Math.round(delay.high * 0.3)) && isLate(set, second, near),
    option: (set) => valueAt(set, first, 'mode') === 'burst',
    presence: (set) => set.has(first.id),
    ...{ missing: () => random() < 0.3, latency: () => random() < 0.3 },
    ...{ attribute: () => random() < 0.3, reordering: () => random() < 0.3 },
  };
  let made: readonly { readonly set: MadeSet; readonly fails: boolean }[] = [];
  let failing = 0;
  while (failing < 5 || failing > attempts - 5) {
    made = Array.from({ length: attempts }, drawSet).map((set) => ({
      set,
      fails: causes[kind](set),
    }));
    failing = made.filter(({ fails }) => fails).length;
  }
  mkdirSync(join(directory, 'attempts'), { recursive: true });
  const plan = (set: MadeSet) =>
    mutators
      .filter(({ id }) => set.has(id))
      .map(({ id, params }) => ({
        ...{ server: 'http://127.0.0.1:1', id, name: id },
        params: Object.fromEntries(
          params.map((param) => [param.name, writeValue(param, set.get(id)?.[param.name])]),
        ),
      }));
  const records: unknown[] = [runRecord(mutators)];
  for (const [at, { set, fails }] of made.entries()) {
    const n = at + 1;
    const measured = { name: 'no abort', shouldPass: false, status: fails ? 'holds' : 'fails' };
    records.push({ step: 'attempt', n, plan: plan(set) });
    records.push({
      ...{ step: 'measured', n, outcome: fails ? 'failed' : 'passed', measurements: [measured] },
      ...{ reasons: [], events: 100, ms: 1000 },
    });
    const path = join(directory, 'attempts', `${n}.jsonl`);
    writeFileSync(path, session(random, n, fails, kind, isDownstream(kind)));
  }
  records.push({ step: 'end', reason: 'attempts' });
  writeFileSync(join(directory, 'journal'), journalOf(records));
  const names: Readonly<Record<Kind, readonly string[]>> = {
    threshold: [`${first.id} delay >= `],
    // Where every attempt with one of them is past its border, its presence says the same.
    joint: [first.id, second.id, ' delay >= ', ' and '],
    option: [`${first.id} mode = burst`],
    presence: [`${first.id} in the set`],
    missing: ['RESERVED at stock', 'fewer'],
    latency: ['from CHECKED at stock', 'to RESERVED at stock', 'longer'],
    attribute: ['RESERVED at stock', 'shard = b', 'more often'],
    reordering: ['RESERVED at stock comes before CHECKED at stock'],
  };
  return { kind, names: names[kind], failing, attempts };
}

/** Whether the cause is in the mutations, so that sessions show only what follows from it. */
function isDownstream(kind: Kind): boolean {
  return ['threshold', 'joint', 'option', 'presence'].includes(kind);
}

function writeValue(param: Param, value: number | string | undefined): unknown {
  if ('options' in param) return value;
  return param.isWhole ? BigInt(value as number) : { float: value };
}

/** JSON in which `{ float: 3 }` is `3.0`, and a bigint is a whole number. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('float' in value) {
    const text = String(value.float);
    return /^-?\d+$/.test(text) ? `${text}.0` : text;
  }
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${toJson(one)}`)
    .join(',')}}`;
}

function journalOf(records: readonly unknown[]): string {
  const lines = records.map((record) => {
    const json = toJson(record);
    return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
  });
  return `perturb-run 1\n${lines.join('')}`;
}

const CHECK = "MATCH (name = 'ABORT') AS abort AGGREGATE count() > 0";

function runRecord(mutators: readonly Mutator[]) {
  const text = [
    'name = "checkout"',
    '[mutation_constraints]',
    'max_concurrent_mutations = 3',
    '[[measurement]]',
    'name = "no abort"',
    'should_pass = false',
    `check = "${CHECK}"`,
    '[stopping_conditions]',
    'attempts = 30',
  ].join('\n');
  const listing = mutators.map(({ id, params }) => {
    const described = params.map((param): [string, unknown][] => {
      const key = (word: string) => `mutator.params.${param.name}.${word}`;
      const name: [string, unknown] = [key('name'), param.name];
      if ('options' in param) {
        return [
          ...[name, [key('value_type'), 'String'] as [string, unknown]],
          ...param.options.map((one): [string, unknown] => [
            key(`value_distribution.option_set.${one}`),
            one,
          ]),
        ];
      }
      const number = (value: number) => (param.isWhole ? BigInt(value) : { float: value });
      return [
        ...[name, [key('value_type'), param.isWhole ? 'Integer' : 'Float'] as [string, unknown]],
        ...([
          [key('value_min'), number(param.low)],
          [key('value_max'), number(param.high)],
        ] as [string, unknown][]),
      ];
    });
    const attributes = [
      ['mutator.name', id],
      ['mutator.layer', 'operational'],
      ['mutator.operation', 'set_to_value'],
      ...described.flat(),
    ];
    return { mutator_correlation_id: id, attributes: Object.fromEntries(attributes) };
  });
  return {
    ...{ step: 'run', version: 1, id: '5583083f-dec4-4dc0-a58d-6028465184af' },
    objective: {
      name: 'checkout',
      origin: 'checkout.objective.toml',
      text,
      digest: '0'.repeat(64),
    },
    ...{ seed: '1', strategy: 'uniform', catalog: '0'.repeat(64) },
    ...{ servers: ['http://127.0.0.1:1'], attemptMs: 30000, shrink: false },
    listings: [{ server: 'http://127.0.0.1:1', listing: toJson(listing) }],
  };
}

interface Written {
  readonly probe: string;
  readonly name: string;
  readonly id: string;
  readonly time: number;
  readonly after?: readonly string[];
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** The session of an attempt: orders that a shop handles, with noise in counts, times and values. */
function session(
  random: () => number,
  n: number,
  fails: boolean,
  kind: Kind,
  hasOtherCause: boolean,
): string {
  const events: Written[] = [];
  const spread = (middle: number) => middle * Math.exp((random() + random() - 1) * 0.6);
  let clock = 1_700_000_000_000_000_000 / 1e6 + n * 100_000;
  const stamp = (later: number) => (clock += later);
  const add = (probe: string, name: string, more: Partial<Written> = {}): string => {
    const id = `${probe}-${events.length}`;
    events.push({ ...{ probe, name, id, time: clock }, ...more });
    return id;
  };
  const orders = 6 + Math.floor(random() * 6);
  const isPlanted = fails && !hasOtherCause;
  for (let order = 0; order < orders; order += 1) {
    stamp(spread(20));
    const asked = add('client', 'ASK', { attributes: { size: Math.ceil(random() * 50) } });
    if (random() < 0.3) add('client', 'TICK');
    stamp(spread(5));
    const taken = add('gateway', 'TAKEN', {
      after: [asked],
      attributes: { queue: Math.floor(random() * 9), zone: random() < 0.5 ? 'north' : 'south' },
    });
    if (random() < 0.2) add('gateway', 'RETRY');
    stamp(spread(5));
    const told = add('stock', 'RECEIVED', { after: [taken] });
    if (random() < 0.3) add('stock', 'TICK', { attributes: { load: random() } });
    const isReordered = isPlanted && kind === 'reordering' && random() < 0.7;
    const isMissing = isPlanted && kind === 'missing' && random() < 0.8;
    const shard = isPlanted && kind === 'attribute' && random() < 0.7 ? 'b' : 'a';
    const wait = spread(8) * (isPlanted && kind === 'latency' ? 4 : 1);
    const check = () => {
      stamp(spread(3));
      add('stock', 'CHECKED', { attributes: { left: Math.floor(random() * 100) } });
    };
    const reserve = () => {
      stamp(wait);
      if (!isMissing)
        add('stock', 'RESERVED', { attributes: { shard: random() < 0.05 ? 'c' : shard } });
    };
    for (const step of isReordered ? [reserve, check] : [check, reserve]) step();
    stamp(spread(4));
    const done = add('stock', 'DONE', { after: [told] });
    stamp(spread(6));
    const paid = add('payment', 'PAID', { after: [done], attributes: { fee: random() * 5 } });
    stamp(spread(6));
    add('client', 'ANSWER', { after: [paid] });
  }
  if (fails) {
    stamp(spread(50));
    add('client', 'ABORT');
  }
  const lines = events.map(({ time, ...event }) =>
    JSON.stringify({ ...event, time: 0 }).replace('"time":0', `"time":${Math.round(time * 1e6)}`),
  );
  // Numbers of this size lose their last digits, which nobody reads.
  return `{"session":1}\n${lines.join('\n')}\n`;
}
