import { at, itemAt } from '../../source/index.js';

/** How many texts the table of hashes begins with room for. */
const FIRST = 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Texts, each once, by number. A text is found by its bytes in UTF-8, so that a reader need not
 * make a string of what it has read before.
 */
export class Texts {
  /** The texts by number; not filled where `keep` is false. */
  readonly texts: string[] = [];
  private readonly keep: boolean;
  private count = 0;
  /** Numbers of texts plus one by hash, with open addressing; 0 where nothing is. */
  private table = new Int32Array(FIRST * 2);
  private hashes = new Int32Array(FIRST);
  /** Where the bytes of each text begin; one more entry at the end. */
  private starts = new Float64Array(FIRST + 1);
  private bytes = new Uint8Array(FIRST * 16);
  private scratch = new Uint8Array(256);

  constructor(keep = true) {
    this.keep = keep;
  }

  get size(): number {
    return this.count;
  }

  /** The text of a number, also where the texts themselves are not kept. */
  textOf(index: number): string {
    const [start, end] = [itemAt(this.starts, index), itemAt(this.starts, index + 1)];
    return decode(this.bytes, start, end) as string;
  }

  /** The number of a text; a half of a surrogate pair counts as U+FFFD. */
  numberOf(text: string): number {
    if (this.scratch.length < text.length * 3) this.scratch = new Uint8Array(text.length * 3);
    const { written } = encoder.encodeInto(text, this.scratch);
    return this.numberOfBytes(this.scratch, 0, written, hashOf(this.scratch, 0, written));
  }

  /** The number of a text that is given as UTF-8 with its `hashOf`, or -1 if that is not UTF-8. */
  numberOfBytes(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.table.length - 1;
    let slot = hash & mask;
    for (;;) {
      const found = at(this.table, slot) - 1;
      if (found < 0) break;
      if (this.hashes[found] === hash && this.isAt(found, bytes, start, end)) return found;
      slot = (slot + 1) & mask;
    }
    return this.add(slot, bytes, start, end, hash);
  }

  private isAt(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    let own = itemAt(this.starts, index);
    if (itemAt(this.starts, index + 1) - own !== end - start) return false;
    for (let other = start; other < end; other++) {
      if (this.bytes[own++] !== bytes[other]) return false;
    }
    return true;
  }

  private add(slot: number, bytes: Uint8Array, start: number, end: number, hash: number): number {
    const text = decode(bytes, start, end);
    if (text === undefined) return -1;
    const index = this.count++;
    if (this.keep) this.texts.push(text);
    const first = itemAt(this.starts, index);
    if (index + 1 >= this.hashes.length) this.growIndexes();
    if (first + end - start > this.bytes.length) this.growBytes(first + end - start);
    this.bytes.set(bytes.subarray(start, end), first);
    this.starts[index + 1] = first + end - start;
    this.hashes[index] = hash;
    this.table[slot] = index + 1;
    if (this.count * 2 > this.table.length) this.growTable();
    return index;
  }

  private growIndexes(): void {
    const hashes = new Int32Array(this.hashes.length * 2);
    hashes.set(this.hashes);
    this.hashes = hashes;
    const starts = new Float64Array(hashes.length + 1);
    starts.set(this.starts);
    this.starts = starts;
  }

  private growBytes(least: number): void {
    const bytes = new Uint8Array(Math.max(least, this.bytes.length * 2));
    bytes.set(this.bytes);
    this.bytes = bytes;
  }

  private growTable(): void {
    const table = new Int32Array(this.table.length * 2);
    const mask = table.length - 1;
    for (let index = 0; index < this.count; index++) {
      let slot = at(this.hashes, index) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = index + 1;
    }
    this.table = table;
  }
}

/** What `Texts` finds bytes by; a reader may compute it on its way with `hashStep`. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let index = start; index < end; index++) hash = hashStep(hash, itemAt(bytes, index));
  return hashEnd(hash);
}

/** Not the same in each process, so that no file can be made of texts that all have one hash. */
export const HASH_START = (0x811c9dc5 ^ (Math.random() * 2 ** 32)) | 0;

export function hashStep(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

/** Spreads what the steps gave over all bits. */
export function hashEnd(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

function decode(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start <= 40 && isAscii(bytes, start, end)) {
    return String.fromCharCode.apply(null, bytes.subarray(start, end) as unknown as number[]);
  }
  try {
    return decoder.decode(bytes.subarray(start, end));
  } catch {
    return undefined;
  }
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  let all = 0;
  for (let index = start; index < end; index++) all |= itemAt(bytes, index);
  return all < 0x80;
}
