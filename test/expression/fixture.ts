import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../src/diagnostics/index.js';
import type { Span } from '../../src/source/index.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/expression/', import.meta.url));

/** Expressions that together have each construct of the language: a test of them knows the whole of it. */
export const EXPRESSIONS = [
  `MATCH (GUST @ GAZEBO) AS gust, NOT (BEAT @ 'PX4' AND NOT (load @ PX4 > 3)) AS beat
WHEN gust -> beat WITHIN 100ms FILTER gust.time < session.end - 100ms AGGREGATE count() = 0`,
  `MATCH (name = 'ask' OR exists(id) AND abs(a - b) * 2 < 3) AS q, (name GLOB 'as*') AS n
WHEN q -> NEXT n AND (n || q AND q != n) FILTER NOT (n.id = q.id) OR n.ok = true AND q.ok != false`,
  `MATCH (status IN (200, 204) AND kind NOT IN ('a') AND name NOT GLOB 'b?') AS r, (NOT (x = 1) OR NOT exists(x)) AS \`s t\`
AGGREGATE share(NOT exists(r.x) AND r.a = 1) <= 0.01, percentile(r.time - \`s t\`.time, 95) <= 2 * baseline(percentile(r.time, 95)) BY r.a, window(r.time, 1s), r FOR 95%`,
  `MATCH (name = 'a') AS a AGGREGATE max(abs(a.x)) + min(a.x) > (mean(a.x) / 2), sum(a.x) > stddev(a.x), distinct(a.x) = COUNT() BY a FILTER NOT a.x IN (1) AND abs(a.x) > 1`,
  `MATCH (lower(name) = 'a') AS a AGGREGATE count(a) > 1 OR (count() = 0 AND max(a.x) < 2) BY a.k HAVING count() >= 2`,
];

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
