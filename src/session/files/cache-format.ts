import { crc32 } from 'node:zlib';
import { ExactIntegers } from '../columns/exact-integers.js';
import { SparseColumn } from '../columns/sparse-column.js';
import type { Column, Session } from '../session.js';
import { narrowKinds, narrowNumbers, StoredColumn } from './stored-column.js';

/*
 * The columns of a session as bytes: a fixed head, a JSON text that says what lies where, and
 * the arrays themselves, so that loading copies nothing and looks only into what is used.
 */

/** Raised whenever the bytes change their meaning; a cache of another version is not read. */
const VERSION = 1;
const MAGIC = 0x43425450;
/** Magic, version, and length and checksum of what follows; in the machine's own byte order. */
const HEAD = 16;

const TYPES = { Uint8Array, Int16Array, Int32Array, Float64Array } as const;
type TypeName = keyof typeof TYPES;
type Items = Uint8Array | Int16Array | Int32Array | Float64Array;

/** What the columns were read from. */
export interface Origin {
  readonly size: number;
  readonly digest: number;
}

/** The type, the place and the number of items of an array. */
type Part = readonly [type: TypeName, at: number, length: number];

interface StoredColumnPlan {
  readonly name: string;
  /** Of a sparse column. */
  readonly events?: Part;
  /** The kinds, or the one kind of all. */
  readonly kinds: Part | number;
  readonly numbers: Part;
  readonly differences?: Part;
  readonly large?: readonly (readonly [number, string])[];
}

interface Contents {
  readonly origin: Origin;
  readonly name?: string;
  readonly source?: string;
  readonly probes: readonly string[];
  readonly size: number;
  readonly start: Part;
  readonly columns: readonly StoredColumnPlan[];
  /** All texts one after the other in UTF-8, and where each ends, in UTF-16 units. */
  readonly texts: readonly [bytes: Part, ends: Part];
  readonly order: Readonly<Record<string, Part>>;
}

/** Sessions with more integers beyond 64 bits, or more text, are not kept. */
const MOST_LARGE = 10_000;
const MOST_TEXT = 200_000_000;

const ORDER = [
  'receives',
  'receiveProbe',
  'receiveStart',
  'edgeStart',
  'edgeFrom',
  'edgeProbe',
  'edgeReceive',
  'topological',
] as const;

/** The session as bytes, in pieces; undefined where it is none that a cache is for. */
export function encodeColumns(session: Session, origin: Origin): Uint8Array[] | undefined {
  const arrays: Items[] = [];
  let at = 0;
  const keep = (items: Items): Part => {
    const part = [items.constructor.name as TypeName, at, items.length] as const;
    arrays.push(items);
    at = aligned(at + items.byteLength);
    return part;
  };
  // Much more could not even be joined.
  if (session.texts.reduce((sum, { length }) => sum + length, 0) > MOST_TEXT) return undefined;
  const joined = session.texts.join('');
  const ends = new Float64Array(session.texts.length);
  session.texts.reduce((end, text, index) => (ends[index] = end + text.length), 0);
  const columns = [...session.columns].map(([name, column]) => storeColumn(name, column, keep));
  if (columns.some(({ large }) => large !== undefined && large.length > MOST_LARGE)) {
    return undefined;
  }
  const contents: Contents = {
    origin,
    ...(session.name !== undefined && { name: session.name }),
    ...(session.source !== undefined && { source: session.source }),
    probes: session.probes,
    size: session.size,
    start: keep(session.start),
    columns,
    texts: [keep(new TextEncoder().encode(joined)), keep(ends)],
    order: Object.fromEntries(ORDER.map((key) => [key, keep(session.order[key])])),
  };
  const text = new TextEncoder().encode(JSON.stringify(contents));
  const pieces: Uint8Array[] = [padded(text)];
  for (const items of arrays) {
    pieces.push(padded(new Uint8Array(items.buffer, items.byteOffset, items.byteLength)));
  }
  // The crc32 of no bytes starts again from zero.
  const filled = pieces.filter(({ length }) => length > 0);
  const checksum = filled.reduce((sum, piece) => crc32(piece, sum), 0);
  const head = new Uint32Array([MAGIC, VERSION, text.length, checksum]);
  return [new Uint8Array(head.buffer), ...pieces];
}

function storeColumn(name: string, column: Column, keep: (items: Items) => Part): StoredColumnPlan {
  if (column instanceof SparseColumn) {
    const { events, kinds, numbers, differences, large } = column.values;
    return {
      name,
      events: keep(events),
      kinds: keep(kinds),
      numbers: keep(numbers),
      differences: keep(differences),
      large: toLarge(large),
    };
  }
  const { exact } = column;
  const kinds = narrowKinds(column.kinds);
  const stored = {
    name,
    kinds: typeof kinds === 'number' ? kinds : keep(kinds),
    numbers: keep(narrowNumbers(column.numbers)),
  };
  if (exact === undefined) return stored;
  if (!(exact instanceof ExactIntegers)) return { ...stored, large: toLarge(exact) };
  const { differences, large } = exact;
  const lacking = differences.length === 0 ? {} : { differences: keep(differences) };
  return { ...stored, ...lacking, large: toLarge(large) };
}

function toLarge(large: ReadonlyMap<number, bigint>): readonly (readonly [number, string])[] {
  return [...large].map(([event, value]) => [event, String(value)] as const);
}

/**
 * The session of such bytes, if they are whole, of this version and of that origin; else
 * undefined. The session's arrays are views of the bytes.
 */
export function decodeColumns(bytes: Uint8Array, origin: Origin): Session | undefined {
  if (bytes.length < HEAD || bytes.byteOffset % 8 !== 0) return undefined;
  const [magic, version, length = 0, checksum] = new Uint32Array(
    bytes.buffer,
    bytes.byteOffset,
    HEAD / 4,
  );
  if (magic !== MAGIC || version !== VERSION || HEAD + length > bytes.length) return undefined;
  if (crc32(bytes.subarray(HEAD)) !== checksum) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(HEAD, HEAD + length));
  const contents = JSON.parse(text) as Contents;
  if (contents.origin.size !== origin.size || contents.origin.digest !== origin.digest) {
    return undefined;
  }
  const base = bytes.byteOffset + HEAD + aligned(length);
  const open = <T extends Items>([type, at, count]: Part): T =>
    new TYPES[type](bytes.buffer as ArrayBuffer, base + at, count) as Items as T;
  const order = Object.fromEntries(
    ORDER.map((key) => [key, open<Int32Array>(contents.order[key] as Part)]),
  );
  const columns = contents.columns.map((stored): [string, Column] => [
    stored.name,
    openColumn(stored, contents.size, open),
  ]);
  return {
    ...(contents.name !== undefined && { name: contents.name }),
    ...(contents.source !== undefined && { source: contents.source }),
    probes: contents.probes,
    start: open(contents.start),
    size: contents.size,
    columns: new Map(columns),
    texts: openTexts(open(contents.texts[0]), open(contents.texts[1])),
    order: order as unknown as Session['order'],
  };
}

function openColumn(
  { events, kinds, numbers, differences, large = [] }: StoredColumnPlan,
  size: number,
  open: <T extends Items>(part: Part) => T,
): Column {
  const values = {
    kinds: typeof kinds === 'number' ? kinds : open<Uint8Array>(kinds),
    ...(differences !== undefined && { differences: open<Int16Array>(differences) }),
    large: new Map(large.map(([event, value]) => [event, BigInt(value)])),
  };
  if (events === undefined) return new StoredColumn({ ...values, numbers: open(numbers) });
  return new SparseColumn(size, {
    events: open<Int32Array>(events),
    kinds: values.kinds as Uint8Array,
    numbers: open<Float64Array>(numbers),
    differences: values.differences ?? new Int16Array(0),
    large: values.large,
  });
}

function openTexts(bytes: Uint8Array, ends: Float64Array): readonly string[] {
  const joined = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let start = 0;
  return Array.from(ends, (end) => {
    const text = joined.slice(start, end);
    start = end;
    return text;
  });
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8;
}

function padded(bytes: Uint8Array): Uint8Array {
  if (bytes.length % 8 === 0) return bytes;
  const whole = new Uint8Array(aligned(bytes.length));
  whole.set(bytes);
  return whole;
}
