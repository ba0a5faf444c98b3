import { invisibleCharacter, isPlain, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { characterAt, lineEnd } from './site.js';

const CURLY = /[\u2018-\u201f]/;
/** A text between curly quotes that means the same between straight ones. */
const CURLY_QUOTED = /[\u2018-\u201f]([^\u2018-\u201f"\\]*)[\u2018-\u201f]/y;

/** A curly quote or an invisible character in a part of the text that TOML does not read. */
export function lookalike(text: string, { start, end }: Span): Violation | undefined {
  for (let at = start; at < end; ) {
    const span = characterAt(text, at);
    const character = text.slice(span.start, span.end);
    if (CURLY.test(character)) return curlyQuote(text, span);
    const invisible = invisibleCharacter(character);
    if (invisible !== undefined) return { ...invisible, span };
    at = Math.max(span.end, at + 1);
  }
  return undefined;
}

function curlyQuote(text: string, span: Span): Violation {
  const message = 'a curly quote cannot delimit a string';
  CURLY_QUOTED.lastIndex = span.start;
  const quoted = CURLY_QUOTED.exec(text.slice(0, lineEnd(text, span.start)));
  if (quoted === null) return { message, help: 'write straight quotes: "..."', span };
  const [whole, content = ''] = quoted;
  const straight = `"${content}"`;
  return {
    message,
    help: isPlain(content) ? `write ${straight}` : 'write straight quotes: "..."',
    span: { start: span.start, end: span.start + whole.length },
    fix: {
      title: 'write straight quotes',
      edits: [{ span: { start: span.start, end: span.start + whole.length }, text: straight }],
    },
  };
}
