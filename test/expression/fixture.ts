import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../src/diagnostics/index.js';
import type { Span } from '../../src/source/index.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/expression/', import.meta.url));

/** The names of the fixtures in `ok` or `err`. */
export function fixtures(folder: 'ok' | 'err'): string[] {
  return readdirSync(`${FIXTURES}${folder}`)
    .filter((file) => file.endsWith('.trace'))
    .map((file) => `${folder}/${file.replace(/\.trace$/, '')}`);
}

/** The golden file beside a fixture. */
export function goldenOf(name: string): string {
  return `${FIXTURES}${name}.out`;
}

/**
 * The expressions of a fixture, parted by empty lines. One that holds what no
 * line of a file should is written as a JSON string.
 */
export function expressionsIn(name: string): string[] {
  const text = readFileSync(`${FIXTURES}${name}.trace`, 'utf8');
  const paragraphs = text.trimEnd().split('\n\n');
  return paragraphs.map((one) => (one.startsWith('"') ? JSON.parse(one) : one));
}

/** An expression with its findings below it, each at the characters that it marks. */
export function annotate(text: string, findings: readonly Finding[]): string {
  const shown = isPlain(text) ? text : text.replace(CONTROL, picture);
  const several = shown.includes('\n');
  const lines = findings.flatMap(({ rule, message, help, span, related = [], fix }) => [
    ...mark(shown, several, span, '^', `${rule.replace('expression/', '')}: ${message}`),
    ...(help === undefined ? [] : [`    help: ${help}`]),
    ...related.flatMap((other) => mark(shown, several, other.span, '-', other.message)),
    ...(fix?.edits ?? []).flatMap((edit) => {
      const what = `fix: ${fix?.title}: ${JSON.stringify(edit.text)}`;
      return mark(shown, several, edit.span, '+', what);
    }),
  ]);
  return `${[shown, ...lines].join('\n')}\n`;
}

/** A line of marks below the characters of a span; `|` is a place between two of them. */
function mark(text: string, several: boolean, span: Span, sign: string, what: string): string[] {
  const start = text.lastIndexOf('\n', span.start - 1) + 1;
  const next = text.indexOf('\n', span.start);
  const end = next === -1 ? text.length : next;
  const marked = Math.min(span.end, end) - span.start;
  const further = span.end > end ? '>' : '';
  const signs = span.end === span.start ? '|' : sign.repeat(marked) + further;
  const line = `${' '.repeat(span.start - start)}${signs} ${what}`;
  return several ? [text.slice(start, end), line] : [line];
}

const CONTROL = /\p{Cc}/gu;

/** Whether a text may stand in a fixture as it is. */
function isPlain(text: string): boolean {
  return !/[^\P{Cc}\n]|\n\n/u.test(text) && text.trim() === text;
}

/** The picture of a control character. */
function picture(character: string): string {
  return String.fromCharCode(0x2400 + character.charCodeAt(0));
}
