import fc from 'fast-check';
import type { Finding } from '../../src/diagnostics/index.js';
import { SourceFile, type Span } from '../../src/source/index.js';

const AWKWARD = [
  '\n',
  '\r\n',
  '\r',
  '\t',
  '\0',
  '\u001b[31m',
  '\u009b',
  '\u007f',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u2028',
  '\u2029',
  '\ud800',
  '\udc00',
  '\ufeff',
  '\u200b',
  '\u200d',
  '\u0301',
  '\ufe0f',
  '…',
  '日',
  'ｱﾞ',
  '한',
  '\u{1f469}\u200d\u{1f4bb}',
  '\u{1f1e6}\u{1f1f9}',
  '𝒳',
  'é',
  '%',
  '::',
  ',',
  ']]>',
  '<',
  '&',
  '"',
  "'",
  '\ufffe',
  '\u{10ffff}',
];

/** Any text, with what is hard to show or to escape in it. */
export const text = fc
  .array(fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: 'grapheme', maxLength: 8 })), {
    maxLength: 24,
  })
  .map((parts) => parts.join(''));

export interface Place {
  readonly file: SourceFile;
  readonly span: Span;
}

/** Any text with any span in it, whatever that cuts in two. */
export function placeIn(texts: fc.Arbitrary<string>): fc.Arbitrary<Place> {
  return fc.tuple(texts, texts, fc.nat(), fc.nat()).map(([path, content, a, b]) => {
    const ends = [a, b].map((end) => end % (content.length + 1)).sort((x, y) => x - y);
    return {
      file: new SourceFile(path, content),
      span: { start: ends[0] ?? 0, end: ends[1] ?? 0 },
    };
  });
}

const place = placeIn(text);

/** Any finding. */
export const finding: fc.Arbitrary<Finding> = fc
  .record(
    {
      place,
      severity: fc.constantFrom('error' as const, 'warning' as const),
      message: text,
      help: text,
      related: fc.array(fc.record({ place, message: text }), { maxLength: 3 }),
      fix: fc.record({ title: text, text, kind: fc.constantFrom('safe' as const, 'suggested') }),
    },
    { requiredKeys: ['place', 'severity', 'message'] },
  )
  .map(({ place: { file, span }, severity, message, help, related, fix }) => ({
    rule: 'objective/invalid-value',
    severity,
    message,
    ...(help !== undefined && { help }),
    file,
    span,
    ...(related !== undefined && {
      related: related.map((other) => ({ message: other.message, ...other.place })),
    }),
    ...(fix !== undefined && {
      fix: { title: fix.title, kind: fix.kind, edits: [{ span, text: fix.text }] },
    }),
  }));

/** Any findings of one run. */
export const findings = fc.array(finding, { maxLength: 4 });
