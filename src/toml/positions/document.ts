import { EmbeddedSource, type SourceFile, type Span } from '../../source/index.js';
import { resolve, type TomlOutline, type TomlPath, type TomlTable, tomlValueAt } from './node.js';
import { type NewerForm, type Scan, scan, type TomlComment } from './scan.js';
import { decodeString, delimiterAt, writeContent } from './string.js';

/** Escapes, inline tables and times: few files have any of them, and the others are not scanned for them. */
const MAY_BE_NEWER = /\\[ex]|[=[,]\s*\{|^[ \t]*\{|\d\d:\d\d(?!:)/m;

/**
 * A valid TOML file: its values, and on demand where they are written. The
 * text is scanned once, when a place is first asked for. A path that does not
 * exist stands for the deepest value on it.
 */
export class TomlDocument {
  #scan: Scan | undefined;

  constructor(
    readonly file: SourceFile,
    readonly root: TomlTable,
  ) {}

  /**
   * The last part of the key, as written with its quotes, that defines the
   * value at a path. An element of an array has no key: its value stands for it.
   */
  keySpan(path: TomlPath): Span {
    return resolve(this.#scanned().root, path).key;
  }

  /**
   * The value at a path with its quotes or brackets. For a table that a header
   * makes, the header with its brackets; for an array of such tables, the first
   * header; for a table that dotted keys or longer headers make, the part that
   * names it; for the root, the file's first line.
   */
  valueSpan(path: TomlPath): Span {
    return resolve(this.#scanned().root, path).value;
  }

  /**
   * The text of the string at a path, with the map back to the file.
   *
   * @throws RangeError when there is no string at the path
   */
  embed(path: TomlPath): EmbeddedSource {
    if (typeof tomlValueAt(this.root, path) !== 'string') {
      throw new RangeError(`no string at ${JSON.stringify(path)}`);
    }
    const span = this.valueSpan(path);
    const { text, segments, start } = decodeString(this.file.text, span);
    const delimiter = delimiterAt(this.file.text, span.start);
    const write = (content: string) => writeContent(content, delimiter);
    return new EmbeddedSource(this.file, text, segments, start, write);
  }

  /** Where everything in the file is written, as a tree of the shape of the values. */
  outline(): TomlOutline {
    return this.#scanned().root;
  }

  /** Whether there is a value at a path, of whatever type. */
  has(path: TomlPath): boolean {
    return tomlValueAt(this.root, path) !== undefined;
  }

  comments(): readonly TomlComment[] {
    return this.#scanned().comments;
  }

  /** What parsers of TOML 1.0 refuse. */
  newerForms(): readonly NewerForm[] {
    return MAY_BE_NEWER.test(this.file.text) ? this.#scanned().newer : [];
  }

  #scanned(): Scan {
    this.#scan ??= scan(this.file.text);
    return this.#scan;
  }
}
