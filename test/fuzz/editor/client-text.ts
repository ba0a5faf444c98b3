import type { Position, Range } from '../../editor/connection.js';
import { hold } from '../target.js';

/** A text as an editor sees it: in lines, whose characters are counted in UTF-16. */
export class ClientText {
  readonly text: string;
  /** Of each line, the offsets at which a character begins or the line ends, by their counts. */
  readonly #lines: readonly ReadonlyMap<number, number>[];

  constructor(text: string) {
    this.text = text;
    const lines = text.split(/(\r\n|[\r\n])/);
    let start = 0;
    this.#lines = lines.flatMap((part, index) => {
      const line = index % 2 === 0 ? [this.#placesIn(part, start)] : [];
      start += part.length;
      return line;
    });
  }

  #placesIn(line: string, start: number): ReadonlyMap<number, number> {
    const places = new Map([[0, start]]);
    let count = 0;
    let offset = start;
    for (const character of line) {
      offset += character.length;
      count += character.length;
      places.set(count, offset);
    }
    return places;
  }

  /** The position of the last character that begins at or before an offset. */
  positionOf(offset: number): Position {
    const line = this.#lines.findLastIndex((places) => (places.get(0) as number) <= offset);
    const places = [...(this.#lines[line] as ReadonlyMap<number, number>)];
    const [character = 0] = places.findLast(([, at]) => at <= offset) ?? [];
    return { line, character };
  }

  rangeOf(start: number, end: number): Range {
    return { start: this.positionOf(start), end: this.positionOf(end) };
  }

  /** The offset of a position, which must be that of a character or of the end of a line. */
  offsetOf({ line, character }: Position, about: string): number {
    const places = this.#lines[line];
    hold(places !== undefined, `a line behind the last: ${about}`);
    const offset = places.get(character);
    hold(offset !== undefined, `a position within a character or behind its line: ${about}`);
    return offset;
  }

  spanOf({ start, end }: Range, about: string): { readonly start: number; readonly end: number } {
    const span = { start: this.offsetOf(start, about), end: this.offsetOf(end, about) };
    hold(span.start <= span.end, `a range that ends before it begins: ${about}`);
    return span;
  }

  /** The text with edits made, which must not overlap. */
  edited(edits: readonly { readonly range: Range; readonly newText: string }[], about: string) {
    const spans = edits
      .map(({ range, newText }) => ({ ...this.spanOf(range, about), newText }))
      .sort((a, b) => a.start - b.start || a.end - b.end);
    let text = '';
    let at = 0;
    for (const { start, end, newText } of spans) {
      hold(at <= start, `edits that overlap: ${about}`);
      text += this.text.slice(at, start) + newText;
      at = end;
    }
    return text + this.text.slice(at);
  }
}
