import { indexLines, type LineIndex } from './line-index.js';

/** A text with a name to show for it. Lines are indexed when first asked for. */
export class SourceFile {
  /** The path to show, as the user would type it; `-` stands for stdin. */
  readonly path: string;
  /** The text after a BOM. */
  readonly text: string;
  /** Whether the file began with a BOM, which a rewrite must keep. */
  readonly bom: boolean;
  #lines: LineIndex | undefined;

  constructor(path: string, text: string, bom = false) {
    this.path = path;
    this.text = text;
    this.bom = bom;
  }

  get lines(): LineIndex {
    this.#lines ??= indexLines(this.text);
    return this.#lines;
  }
}
