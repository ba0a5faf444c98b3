import { EmbeddedSource, type SourceFile, type Span } from '../../source/index.js';
import { resolve, type TomlOutline, type TomlPath, type TomlTable, tomlValueAt } from './node.js';
import { type NewerForm, type Scan, scan, type TomlComment } from './scan.js';
import { decodeString, delimiterAt, writeContent } from './string.js';

/**
 * Matches possible escapes, inline tables and times. Few files have any, and the others are not
 * scanned for them.
 */
const MAY_BE_NEWER = /\\[ex]|[=[,]\s*\{|^[ \t]*\{|\d\d:\d\d(?!:)/m;

/**
 * A valid TOML file: its values and, on demand, their positions. The text is scanned once, when a
 * position is first needed. A path that does not exist stands for the deepest value on it.
 */
export class TomlDocument {
  #scan: Scan | undefined;

  constructor(
    readonly file: SourceFile,
    readonly root: TomlTable,
  ) {}

  /**
   * Returns the span of the last part of the key that defines the value at a path, quotes included.
   * An array's element has no key; its value is used instead.
   */
  keySpan(path: TomlPath): Span {
    return resolve(this.#scanned().root, path).key;
  }

  /**
   * Returns the span of the value at a path with its quotes or brackets. For a table with a header,
   * that is the header with its brackets; for an array of such tables, the first header; for a
   * table made by dotted keys or longer headers, the part that names it; for the root, the file's
   * first line.
   */
  valueSpan(path: TomlPath): Span {
    return resolve(this.#scanned().root, path).value;
  }

  /**
   * Returns the text of the string at a path, with the map back to the file.
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

  /** Returns the positions of everything in the file, as a tree of the same shape as the values. */
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

  /** Returns the syntax that TOML 1.0 parsers refuse. */
  newerForms(): readonly NewerForm[] {
    return MAY_BE_NEWER.test(this.file.text) ? this.#scanned().newer : [];
  }

  #scanned(): Scan {
    this.#scan ??= scan(this.file.text);
    return this.#scan;
  }
}
