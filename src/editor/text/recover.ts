import { cover, SourceFile, type Span } from '../../source/index.js';
import { parseToml, type TomlDocument } from '../../toml/index.js';
import { extentsBelow } from './places.js';

/** Valid TOML with the length and lines of the original text, and the blanked spans. */
export interface RecoveredDocument {
  readonly document: TomlDocument;
  /** The blanked spans, sorted by start, without overlap. */
  readonly blanked: readonly Span[];
}

/** Maximum number of lines to blank one by one. */
const MAX_LINES = 20;

/**
 * Turns a text with an incomplete statement into valid TOML by blanking parts of it. Tries the lines edited since the
 * text was last valid, the statements around them, and the lines at which parsing fails. Uses the attempt that blanks
 * the fewest characters.
 *
 * @param last the last valid document, if there was one
 * @returns undefined if no attempt works
 */
export function recover(
  path: string,
  text: string,
  last: TomlDocument | undefined,
): RecoveredDocument | undefined {
  const attempts = last === undefined ? [] : editedSpans(last, text);
  const recovered = [
    ...attempts.map((span) => attempt(path, text, [span])),
    blankFailingLines(path, text),
  ].filter((statement) => statement !== undefined);
  return recovered.sort((a, b) => sizeOf(a.blanked) - sizeOf(b.blanked))[0];
}

function attempt(
  path: string,
  text: string,
  blanked: readonly Span[],
): RecoveredDocument | undefined {
  const { document } = parseToml(new SourceFile(path, blank(text, blanked)));
  return document && { document, blanked };
}

function blank(text: string, spans: readonly Span[]): string {
  let result = text;
  for (const { start, end } of spans) {
    const spaces = result.slice(start, end).replace(/[^\r\n]/g, ' ');
    result = result.slice(0, start) + spaces + result.slice(end);
  }
  return result;
}

function sizeOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Returns the lines edited since the last valid text, and the statements around them, as spans in `text`. */
function editedSpans(last: TomlDocument, text: string): readonly Span[] {
  const oldText = last.file.text;
  const shorter = Math.min(oldText.length, text.length);
  let start = 0;
  while (start < shorter && oldText[start] === text[start]) start += 1;
  let tail = 0;
  while (
    tail < shorter - start &&
    oldText[oldText.length - 1 - tail] === text[text.length - 1 - tail]
  ) {
    tail += 1;
  }
  const oldSpan = { start, end: oldText.length - tail };
  // The statements are headers, and keys with their values.
  const statements = [...extentsBelow(last.outline()).keys()].map((statement) =>
    cover(statement.key, statement.value),
  );
  const editedStatements = statements.filter(
    (statement) => statement.start < oldSpan.end && statement.end > oldSpan.start,
  );
  const adjacent = statements.filter(
    (statement) => statement.start <= oldSpan.end && statement.end >= oldSpan.start,
  );
  const growth = text.length - oldText.length;
  return [[], editedStatements, adjacent].map((removedStatements) => {
    const first = Math.min(oldSpan.start, ...removedStatements.map((statement) => statement.start));
    const end =
      Math.max(oldSpan.end, ...removedStatements.map((statement) => statement.end)) + growth;
    // An edit that ends with a line ending does not touch the next line.
    const lastUnit = end > first && text[end - 1] === '\n' ? end - 1 : end;
    return { start: lineStart(text, first), end: lineEnd(text, Math.max(lastUnit, first)) };
  });
}

function blankFailingLines(path: string, text: string): RecoveredDocument | undefined {
  const blanked: Span[] = [];
  for (let round = 0; round < MAX_LINES; round += 1) {
    const { document, violations } = parseToml(new SourceFile(path, blank(text, blanked)));
    if (document !== undefined) {
      return { document, blanked: blanked.sort((a, b) => a.start - b.start) };
    }
    const [violation] = violations;
    if (violation === undefined) return undefined;
    const { start } = violation.span;
    const line = { start: lineStart(text, start), end: lineEnd(text, start) };
    if (blanked.some((span) => span.start <= line.start && line.end <= span.end)) return undefined;
    blanked.push(line);
  }
  return undefined;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}
