import type { Span } from '../../../src/source/index.js';
import type { TomlPath } from '../../../src/toml/index.js';
import { type WrittenString, writeString } from './random-string.js';
import type { Tape } from './tape.js';

/** A value of a written document, and where it is. */
export interface Place {
  readonly path: TomlPath;
  readonly key: Span;
  readonly value: Span;
  /** The value is written as such, not made by a header or a dotted key. */
  readonly written: boolean;
  readonly string?: WrittenString;
}

/** A TOML document, and where everything in it is. */
export interface WrittenDocument {
  readonly text: string;
  readonly places: readonly Place[];
  readonly comments: readonly (Span & { readonly ownLine: boolean })[];
}

const BARE = ['a', 'b', 'name', 'x-1', '1', '_', '__proto__', 'constructor', 'true', 'inf'];
const SCALARS = [
  ...['1', '+1_000', '-0', '0xdead_BEEF', '0o17', '0b1', '-0.5e+3', '6.0E-2', 'inf', '-nan'],
  ...['true', 'false', '1979-05-27', '07:32', '07:32:00.5', '1979-05-27T00:32:00.999999-07:00'],
  ...['1979-05-27 07:32:00Z', '1979-05-27t07:32'],
];

/** Writes a random document that TOML 1.1 allows. */
export function writeDocument(tape: Tape): WrittenDocument {
  return new DocumentWriter(tape).write();
}

/** The names of the keys that a table has so far. */
type Names = Set<string>;

class DocumentWriter {
  readonly #tape: Tape;
  readonly #places: Place[] = [];
  readonly #comments: (Span & { ownLine: boolean })[] = [];
  #text = '';

  constructor(tape: Tape) {
    this.#tape = tape;
  }

  write(): WrittenDocument {
    const names: Names = new Set();
    this.#body([], names);
    for (let count = this.#tape.below(4); count > 0; count--) this.#table(names);
    return { text: this.#text, places: this.#places, comments: this.#comments };
  }

  /** A `[header]` or some `[[headers]]` of one name, with what stands under them. */
  #table(names: Names) {
    const array = this.#tape.below(2) === 1;
    const name = this.#freshName(names);
    const long = !array && this.#tape.chance(3);
    const count = array ? 1 + this.#tape.below(3) : 1;
    for (let index = 0; index < count; index++) {
      const inner: Names = new Set();
      if (long) this.#header([name, this.#freshName(inner)], ['super', 'table']);
      const header = this.#header([name], [array ? 'array' : 'table'], index);
      const path = array ? [name, index] : [name];
      this.#body(path, inner);
      if (this.#tape.chance(3)) {
        const key = this.#freshName(inner);
        this.#header([name, key], [array ? 'element' : 'known', 'table'], index);
        this.#body([...path, key], new Set());
      }
      if (long) this.#replace([name], header);
    }
  }

  /** Writes a header; what its parts are tells which places are new. */
  #header(
    names: readonly string[],
    parts: readonly ('super' | 'known' | 'element' | 'table' | 'array')[],
    index = 0,
  ): Place {
    const brackets = parts.includes('array') ? 2 : 1;
    this.#blank();
    const start = this.#text.length;
    this.#put('['.repeat(brackets));
    const keys = this.#key(names);
    this.#put(']'.repeat(brackets));
    const header = { start, end: this.#text.length };
    let path: TomlPath = [];
    for (const [at, part] of parts.entries()) {
      const key = keys[at] as Span;
      path = [...path, names[at] as string];
      if (part === 'array' && index === 0) this.#add(path, key, header);
      if (part === 'array' || part === 'element') path = [...path, index];
      if (part === 'super') this.#add(path, key, key);
      if (part === 'table' || part === 'array') this.#add(path, key, header);
    }
    this.#endLine();
    return this.#places.at(-1) as Place;
  }

  /** A table that was known from a longer header is now at its own. */
  #replace(path: TomlPath, header: Place) {
    const at = this.#places.findIndex((place) => String(place.path) === String(path));
    this.#places[at] = header;
  }

  #body(path: TomlPath, names: Names) {
    for (let count = this.#tape.below(4); count > 0; count--) {
      if (this.#tape.chance(4)) this.#comment(true);
      this.#blank();
      this.#entry(path, names);
      this.#endLine();
    }
  }

  #entry(path: TomlPath, names: Names) {
    const name = this.#freshName(names);
    if (!this.#tape.chance(4)) {
      const [key] = this.#key([name]);
      this.#assign([...path, name], key as Span);
      return;
    }
    const inner = this.#freshName(new Set());
    const [key, last] = this.#key([name, inner]) as [Span, Span];
    this.#add([...path, name], key, key);
    this.#assign([...path, name, inner], last);
  }

  #assign(path: TomlPath, key: Span) {
    this.#put('=');
    this.#blank();
    this.#value(path, key);
  }

  #value(path: TomlPath, key?: Span, depth = 0) {
    const start = this.#text.length;
    const at = this.#places.length;
    const kind = this.#tape.below(depth < 3 ? 8 : 6);
    let string: WrittenString | undefined;
    if (kind === 0) this.#put(this.#tape.pick(SCALARS));
    else if (kind < 6) {
      string = writeString(this.#tape);
      this.#put(string.toml);
    } else if (kind === 6) this.#array(path, depth);
    else this.#inlineTable(path);
    const value = { start, end: this.#text.length };
    const place = { path, key: key ?? value, value, written: true, ...(string && { string }) };
    this.#places.splice(at, 0, place);
  }

  #array(path: TomlPath, depth: number) {
    const count = this.#tape.below(4);
    this.#put('[');
    for (let index = 0; index < count; index++) {
      this.#void();
      this.#value([...path, index], undefined, depth + 1);
      this.#void();
      if (index < count - 1 || this.#tape.chance(2)) this.#put(',');
    }
    this.#void();
    this.#put(']');
  }

  #inlineTable(path: TomlPath) {
    const count = this.#tape.below(3);
    const names: Names = new Set();
    this.#put('{');
    for (let index = 0; index < count; index++) {
      this.#void();
      this.#entry(path, names);
      this.#void();
      if (index < count - 1 || this.#tape.chance(2)) this.#put(',');
    }
    this.#void();
    this.#put('}');
  }

  #key(names: readonly string[]): Span[] {
    return names.map((name, index) => {
      if (index > 0) this.#put('.');
      this.#blank();
      const start = this.#text.length;
      this.#put(this.#nameAsToml(name));
      const span = { start, end: this.#text.length };
      this.#blank();
      return span;
    });
  }

  #nameAsToml(name: string): string {
    const written = this.#quoted.get(name);
    if (written !== undefined) return written;
    return this.#tape.pick([name, `"${name}"`, `'${name}'`, `"\\u${hex(name)}${name.slice(1)}"`]);
  }

  readonly #quoted = new Map<string, string>();

  #freshName(names: Names): string {
    let name = this.#tape.pick(BARE);
    if (this.#tape.chance(4)) {
      const { text, toml } = writeString(this.#tape, true);
      name = text;
      if (!BARE.includes(text)) this.#quoted.set(text, toml);
    }
    while (names.has(name)) name = `${name}2`;
    if (!/^[\w-]+$/.test(name) && !this.#quoted.has(name)) name = `k${names.size}`;
    names.add(name);
    return name;
  }

  #add(path: TomlPath, key: Span, value: Span) {
    this.#places.push({ path, key, value, written: false });
  }

  #put(text: string) {
    this.#text += text;
  }

  #blank() {
    this.#put(this.#tape.pick(['', ' ', '\t', '  ']));
  }

  /** White space, line ends and comments, as arrays and inline tables allow them. */
  #void() {
    this.#put(this.#tape.pick(['', ' ', '\n', '\r\n\t']));
    if (this.#tape.chance(5)) this.#comment(/(^|\n)[ \t]*$/.test(this.#text));
  }

  #endLine() {
    this.#blank();
    if (this.#tape.chance(4)) this.#comment(false);
    else this.#put(this.#tape.pick(['\n', '\r\n', '\n\n']));
  }

  #comment(ownLine: boolean) {
    const start = this.#text.length;
    this.#put(this.#tape.pick(['#', '# "x', "# é [a] '''", '#😀#\t']));
    this.#comments.push({ start, end: this.#text.length, ownLine });
    this.#put(this.#tape.pick(['\n', '\r\n']));
  }
}

function hex(name: string): string {
  return name.charCodeAt(0).toString(16).padStart(4, '0');
}
