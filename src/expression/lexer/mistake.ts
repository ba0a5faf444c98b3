import type { Violation } from '../../diagnostics/index.js';
import { readDuration } from './duration.js';
import { readNumber } from './number.js';
import { readQuotedName, readString } from './quoted.js';
import {
  bracketed,
  dashRun,
  smartQuoted,
  unknownCharacters,
  wrongOperator,
} from './wrong-characters.js';

/** What is no token, and why. */
interface Mistake {
  readonly end: number;
  readonly violation: Violation;
}

/**
 * Reads what stands at `start`, where no token of the language does: a broken
 * string, name or number, an operator of another language, or characters that
 * begin nothing.
 */
export function readMistake(text: string, start: number): Mistake {
  const { end, violation } = readBroken(text, start) ?? {};
  if (end !== undefined && violation !== undefined) return { end, violation };
  const meant =
    smartQuoted(text, start) ??
    wrongOperator(text, start) ??
    dashRun(text, start) ??
    bracketed(text, start);
  if (meant !== undefined) return { end: meant.span.end, violation: meant };
  const unknownEnd = endOfUnknown(text, start);
  return { end: unknownEnd, violation: unknownCharacters(text, start, unknownEnd) };
}

function readBroken(text: string, start: number) {
  const first = text.charAt(start);
  if (first === "'" || first === '"') return readString(text, start);
  if (first === '`') return readQuotedName(text, start);
  return readDuration(text, start) ?? readNumber(text, start);
}

/** Where the run of characters ends that begin nothing; the first one is known to. */
function endOfUnknown(text: string, start: number): number {
  for (let end = start + 1; ; end += 1) {
    UNKNOWN.lastIndex = end;
    if (UNKNOWN.test(text)) end = UNKNOWN.lastIndex;
    if (text.charAt(end) !== '~' || text.charAt(end + 1) === '=') return end;
  }
}

/** Neither white space nor the start of a token, of a comment or of a mistake that has a name. */
const UNKNOWN =
  /[^ \t\r\n#()'"`.,@\-=<>!&|\w~\u2260\u2264\u2265\u2192\u21d2\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u201b\u2039\u203a]+/y;
