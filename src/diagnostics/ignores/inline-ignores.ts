import type { SourceFile, Span } from '../../source/index.js';
import type { Finding } from '../finding.js';
import { locate, type Place, toFile } from '../locate.js';
import { type RuleMeta, runRules } from '../rule.js';
import { type Directive, isKnown, readDirective } from './directive.js';
import { ignoreRules } from './ignore-rules.js';

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
  findings: readonly Finding[],
  comments: readonly Comment[],
  rules: readonly RuleMeta[],
): Finding[] {
  const known = new Map(
    [...rules, ...ignoreRules.map(({ meta }) => meta)].map((rule) => [rule.id, rule]),
  );
  const ignores = comments.flatMap(({ place, span }): Ignore[] => {
    const directive = readDirective(place.text.slice(span.start, span.end), span.start);
    if (directive === undefined) return [];
    const named = isKnown(directive) ? directive.ids.map(({ id }) => id) : [];
    const ids = named.filter((id) => known.has(id));
    const scope = directive.kind === 'ignore-file' ? undefined : scopeOf(place, span);
    return [{ directive, place, span, ids, scope, used: new Set() }];
  });
  const silenced = silence(findings, ignores, known);
  const kept = findings.filter((finding) => !silenced.has(finding));
  for (const { place, scope: _scope, ...ignore } of ignores) {
    const input = { ...ignore, text: place.text, rules: known };
    runRules(ignoreRules, input, (rule, violation) => {
      kept.push(locate(rule, violation, place));
    });
  }
  return kept;
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
  findings: readonly Finding[],
  ignores: readonly Ignore[],
  known: ReadonlyMap<string, RuleMeta>,
): Set<Finding> {
  const silenced = new Set<Finding>();
  const startOf = ({ scope }: Ignore) => scope?.start ?? 0;
  const coming = [...ignores].sort((a, b) => startOf(a) - startOf(b));
  let next = 0;
  let open: Ignore[] = [];
  for (const finding of [...findings].sort((a, b) => a.span.start - b.span.start)) {
    const { rule, span } = finding;
    for (; next < coming.length && startOf(coming[next] as Ignore) <= span.start; next += 1) {
      open.push(coming[next] as Ignore);
    }
    open = open.filter(({ scope }) => scope === undefined || span.start <= scope.end);
    if (known.get(rule)?.mandatory) continue;
    for (const { ids, used } of open) {
      if (!ids.includes(rule)) continue;
      used.add(rule);
      silenced.add(finding);
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
