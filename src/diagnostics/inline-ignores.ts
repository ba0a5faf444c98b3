import type { SourceFile, Span } from '../source/index.js';
import type { Diagnostic } from './diagnostic.js';
import { type Directive, isKnown, readDirective } from './directive.js';
import { ignoreRules, unknownRule, unused } from './ignore-rules.js';
import { locate, type Place, toFile } from './problem.js';
import type { RuleMeta } from './rule.js';

/** A comment in the text of a file, or of an expression inside one of its strings. */
export interface Comment {
  readonly place: Place;
  /** In the place's text; from the comment sign to the end of the line. */
  readonly span: Span;
}

/** Whether a file may hold an inline ignore: most do not, and need no look at their comments. */
export function mayIgnore(file: SourceFile): boolean {
  return file.text.includes('perturb:');
}

/**
 * Leaves out the findings that inline ignores silence, and adds those about the
 * ignores themselves. A comment silences its own line, or the next one that
 * holds more than a comment when it stands alone; `ignore-file` silences the
 * whole file. What a mandatory rule reports stays.
 *
 * @param rules every rule that an ignore may name
 */
export function applyIgnores(
  diagnostics: readonly Diagnostic[],
  comments: readonly Comment[],
  rules: readonly RuleMeta[],
): Diagnostic[] {
  const known = new Map([...rules, ...ignoreRules].map((rule) => [rule.id, rule]));
  const about: Diagnostic[] = [];
  const ignores = comments.flatMap(({ place, span }): Ignore[] => {
    const directive = readDirective(place.text.slice(span.start, span.end), span.start);
    if (directive === undefined) return [];
    for (const finding of unknownRule.findings(directive, span, known)) {
      about.push(locate({ rule: unknownRule.meta, ...finding }, place));
    }
    if (!isKnown(directive)) return [];
    const ids = directive.ids.map(({ id }) => id).filter((id) => known.has(id));
    const scope = directive.kind === 'ignore-file' ? undefined : scopeOf(place, span);
    return [{ directive, place, span, ids, scope, used: new Set() }];
  });
  const silenced = silence(diagnostics, ignores, known);
  const kept = diagnostics.filter((diagnostic) => !silenced.has(diagnostic));
  for (const { directive, place, span, ids, used } of ignores) {
    for (const finding of unused.findings(place.text, directive, span, ids, used, known)) {
      about.push(locate({ rule: unused.meta, ...finding }, place));
    }
  }
  return [...kept, ...about];
}

interface Ignore {
  readonly directive: Directive;
  readonly place: Place;
  readonly span: Span;
  /** The ids that are rules. */
  readonly ids: readonly string[];
  /** In the file, the end included; undefined for all of it. */
  readonly scope: Span | undefined;
  readonly used: Set<string>;
}

/**
 * The findings that ignores silence, noting in each ignore what it is used for.
 * One walk through the file, for there may be thousands of both.
 */
function silence(
  diagnostics: readonly Diagnostic[],
  ignores: readonly Ignore[],
  known: ReadonlyMap<string, RuleMeta>,
): Set<Diagnostic> {
  const silenced = new Set<Diagnostic>();
  const startOf = ({ scope }: Ignore) => scope?.start ?? 0;
  const coming = [...ignores].sort((a, b) => startOf(a) - startOf(b));
  let next = 0;
  let open: Ignore[] = [];
  for (const diagnostic of [...diagnostics].sort((a, b) => a.span.start - b.span.start)) {
    const { rule, span } = diagnostic;
    for (; next < coming.length && startOf(coming[next] as Ignore) <= span.start; next += 1) {
      open.push(coming[next] as Ignore);
    }
    open = open.filter(({ scope }) => scope === undefined || span.start <= scope.end);
    if (known.get(rule)?.mandatory) continue;
    for (const { ids, used } of open) {
      if (!ids.includes(rule)) continue;
      used.add(rule);
      silenced.add(diagnostic);
    }
  }
  return silenced;
}

/** The line that a comment silences, as a span of the file. */
function scopeOf(place: Place, comment: Span): Span {
  const { text } = place;
  const start = text.lastIndexOf('\n', comment.start - 1) + 1;
  if (text.slice(start, comment.start).trim() !== '') {
    return toFile(place, { start, end: comment.end });
  }
  const next = /(?:[^\S\n]*(?:#[^\n]*)?(?:\n|$))*[^\n]*/y;
  next.lastIndex = Math.min(comment.end, text.length);
  next.exec(text);
  const end = next.lastIndex;
  return toFile(place, { start: text.lastIndexOf('\n', end - 1) + 1, end });
}
