import { EmbeddedSource, type SourceFile, type Span } from '../../source/index.js';
import { resolve, type TomlOutline, type TomlPath, type TomlTable, tomlValueAt } from './node.js';
import { type NewerSyntax, type Scan, scan, type TomlComment } from './scan.js';
import { decodeString, delimiterAt, writeContent } from './string.js';

/**
 * Matches possible TOML 1.1 syntax: escape sequences, inline tables and times. A file without a match needs no scan for
 * newer syntax.
 */
const MAY_BE_NEWER = /\\[ex]|[=[,]\s*\{|^[ \t]*\{|\d\d:\d\d(?!:)/m;

/**
 * A valid TOML file: its values and, on demand, their positions. Scans the text once, when a position is first needed.
 * For a path that does not exist, methods use the deepest existing value on the path.
 */
export class TomlDocument {
  #scan: Scan | undefined;

  constructor(
    readonly file: SourceFile,
    readonly root: TomlTable,
  ) {}

  /**
   * Returns the span of the last part of a value's key, including quotes. For an array element, which has no key,
   * returns the element's span.
   */
  keySpan(path: TomlPath): Span {
    return resolve(this.#scanned().root, path).key;
  }

  /**
   * Returns the span of the value at a path, including quotes or brackets. For a table with a header, returns the
   * header's span; for an array of tables, the first header's span. For a table defined by dotted keys or longer
   * headers, returns the span of the table's name within the key or header. For the root, returns the file's first
   * line.
   */
  valueSpan(path: TomlPath): Span {
    return resolve(this.#scanned().root, path).value;
  }

  /**
   * Returns the text of the string at a path, with a map to the file's positions.
   *
   * @throws RangeError if there is no string at the path
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

  /** Returns the positions of all keys and values, as a tree that mirrors the values. */
  outline(): TomlOutline {
    return this.#scanned().root;
  }

  /** True if there is a value of any type at a path. */
  has(path: TomlPath): boolean {
    return tomlValueAt(this.root, path) !== undefined;
  }

  comments(): readonly TomlComment[] {
    return this.#scanned().comments;
  }

  /** Returns the file's uses of syntax that TOML 1.0 does not have. */
  newerForms(): readonly NewerSyntax[] {
    return MAY_BE_NEWER.test(this.file.text) ? this.#scanned().newer : [];
  }

  #scanned(): Scan {
    this.#scan ??= scan(this.file.text);
    return this.#scan;
  }
}
