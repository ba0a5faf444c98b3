import type { SourceFile, Span } from '../source/index.js';
import { type Finding, locate, type Place, toFile } from './finding.js';
import { type Directive, ignoreRules, isKnown, readDirective } from './ignore-rules.js';
import { type RuleMeta, runRules } from './rule.js';

/** A comment in the text of a file, or of an expression inside one of its strings. */
export interface Comment {
  readonly place: Place;
  /** In the place's text; from the comment sign to the end of the line. */
  readonly span: Span;
}

/** Whether a file may hold an inline ignore: most do not, so their comments need not be read. */
export function mayIgnore(file: SourceFile): boolean {
  return file.text.includes('perturb:');
}

/** What inline ignores are held against. */
export interface IgnoreOptions {
  /** Every rule that an ignore may name. */
  readonly rules: readonly RuleMeta[];
  /**
   * Whether a rule was kept from looking at some of a span of the file, or of the
   * whole file when there is no span: then an ignore of it is not unused.
   */
  readonly couldNotRun?: (rule: string, scope: Span | undefined) => boolean;
}

/**
 * Leaves out the findings that inline ignores silence, and adds those about the
 * ignores themselves. A comment silences its own line, or the next one that
 * holds more than a comment when it stands alone; `ignore-file` silences the
 * whole file. What a mandatory rule reports stays. Takes time that is linear in
 * the findings and the comments together.
 *
 * @param comments those of each place in their order
 */
export function applyIgnores(
  findings: readonly Finding[],
  comments: readonly Comment[],
  { rules, couldNotRun }: IgnoreOptions,
): Finding[] {
  const known = new Map([...rules, ...ignoreRules].map((rule) => [rule.id, rule]));
  const scopeOf = scopes();
  // From the last to the first: a stack of comments has one scope, which is found once.
  const ignores = comments.toReversed().flatMap(({ place, span }): Ignore[] => {
    const directive = readDirective(place.text.slice(span.start, span.end), span.start);
    if (directive === undefined) return [];
    const named = isKnown(directive) ? directive.ids.map(({ id }) => id) : [];
    const ids = named.filter((id) => known.has(id));
    const scope = directive.kind === 'ignore-file' ? undefined : scopeOf(place, span);
    return [{ directive, place, span, ids, scope, used: new Set() }];
  });
  const silenced = silence(findings, ignores, known);
  const kept = findings.filter((finding) => !silenced.has(finding));
  for (const { place, scope, ...ignore } of ignores) {
    const isIdle = (id: string) =>
      !ignore.used.has(id) &&
      (known.get(id)?.mandatory === true || couldNotRun?.(id, scope) !== true);
    const input = { ...ignore, idle: ignore.ids.filter(isIdle), text: place.text, rules: known };
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

/** The ignores of one rule while a file is walked through. */
interface Open {
  /** Those that have silenced nothing yet. */
  idle: Ignore[];
  /** The end of the farthest one that has silenced something. */
  end: number;
}

/**
 * The findings that ignores silence, noting in each ignore what it is used for.
 * One walk through the file, in which each ignore is looked at until it is used.
 */
function silence(
  findings: readonly Finding[],
  ignores: readonly Ignore[],
  known: ReadonlyMap<string, RuleMeta>,
): Set<Finding> {
  const silenced = new Set<Finding>();
  const startOf = ({ scope }: Ignore) => scope?.start ?? 0;
  const endOf = ({ scope }: Ignore) => scope?.end ?? Number.POSITIVE_INFINITY;
  const coming = [...ignores].sort((a, b) => startOf(a) - startOf(b));
  const open = new Map<string, Open>();
  let next = 0;
  for (const finding of [...findings].sort((a, b) => a.span.start - b.span.start)) {
    const { rule, span } = finding;
    for (; next < coming.length && startOf(coming[next] as Ignore) <= span.start; next += 1) {
      const ignore = coming[next] as Ignore;
      for (const id of ignore.ids) {
        const others = open.get(id);
        if (others === undefined) open.set(id, { idle: [ignore], end: -1 });
        else others.idle.push(ignore);
      }
    }
    const ofRule = open.get(rule);
    if (ofRule === undefined || known.get(rule)?.mandatory) continue;
    for (const ignore of ofRule.idle) {
      if (endOf(ignore) < span.start) continue;
      ignore.used.add(rule);
      ofRule.end = Math.max(ofRule.end, endOf(ignore));
    }
    // What has ended by now can silence nothing more.
    ofRule.idle = [];
    if (ofRule.end >= span.start) silenced.add(finding);
  }
  return silenced;
}

/**
 * A function that gives the line that a comment silences, as a span of the file.
 * It remembers where lines of comments lead to, and is fast when it is asked
 * about the last comment of a text first.
 */
function scopes(): (place: Place, comment: Span) => Span {
  const remembered = new Map<Place, Map<number, Span>>();
  return (place, comment) => {
    const { text } = place;
    const start = text.lastIndexOf('\n', comment.start - 1) + 1;
    if (text.slice(start, comment.start).trim() !== '') {
      return toFile(place, { start, end: comment.end });
    }
    const byLine = remembered.get(place) ?? new Map<number, Span>();
    remembered.set(place, byLine);
    const scope = lineAfter(text, comment.end, byLine);
    byLine.set(start, scope);
    return toFile(place, scope);
  };
}

/** A line that holds nothing but blanks or a comment. */
const EMPTY_LINE = /[^\S\n]*(?:#[^\n]*)?$/my;

/** The next line that holds more than a comment; the last one where there is none. */
function lineAfter(text: string, from: number, byLine: ReadonlyMap<number, Span>): Span {
  let start = from;
  for (;;) {
    const newline = text.indexOf('\n', start);
    if (newline === -1) return { start: text.lastIndexOf('\n') + 1, end: text.length };
    start = newline + 1;
    const known = byLine.get(start);
    if (known !== undefined) return known;
    EMPTY_LINE.lastIndex = start;
    if (EMPTY_LINE.test(text) && EMPTY_LINE.lastIndex < text.length) continue;
    const end = text.indexOf('\n', start);
    return { start, end: end === -1 ? text.length : end };
  }
}
