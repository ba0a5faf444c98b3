import { lastAtMost, type SourceFile, type Span } from '../source/index.js';
import { type Finding, locate, type Place, toFile } from './finding.js';
import { type Directive, ignoreRules, isKnown, readDirective } from './ignore-rules.js';
import { type RuleMeta, runRules } from './rule.js';
import { groupOf, isOf } from './wording.js';

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
 * whole file. What a mandatory rule reports stays.
 */
export function applyIgnores(
  findings: readonly Finding[],
  comments: readonly Comment[],
  { rules, couldNotRun }: IgnoreOptions,
): Finding[] {
  const known = new Map([...rules, ...ignoreRules].map((rule) => [rule.id, rule]));
  const groups = new Set([...known.keys()].map(groupOf));
  const scopeOf = scopes();
  const ignores = comments.flatMap(({ place, span }): Ignore[] => {
    const directive = readDirective(place.text.slice(span.start, span.end), span.start);
    if (directive === undefined) return [];
    const named = isKnown(directive) ? directive.ids.map(({ id }) => id) : [];
    const ids = named.filter((id) => known.has(id) || groups.has(id));
    const scope = directive.kind === 'ignore-file' ? undefined : scopeOf(place, span);
    return [{ directive, place, span, ids, scope, used: new Set() }];
  });
  const silenced = silence(findings, ignores, known);
  const kept = findings.filter((finding) => !silenced.has(finding));
  /** The rules of a group that an ignore of it can be about. */
  const inGroup = (group: string): readonly string[] =>
    [...known.values()].flatMap(({ id, mandatory, off }) =>
      isOf(id, group) && !mandatory && !off ? [id] : [],
    );
  for (const { place, scope, ...ignore } of ignores) {
    const isIdle = (id: string) => {
      if (ignore.used.has(id)) return false;
      if (known.get(id)?.mandatory) return true;
      const named = groups.has(id) ? inGroup(id) : [id];
      return !named.some((rule) => couldNotRun?.(rule, scope));
    };
    const idle = ignore.ids.filter(isIdle);
    const input = { ...ignore, idle, text: place.text, rules: known, groups };
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

/** The findings that ignores silence, noting in each ignore what it is used for. */
function silence(
  findings: readonly Finding[],
  ignores: readonly Ignore[],
  known: ReadonlyMap<string, RuleMeta>,
): Set<Finding> {
  const silenced = new Set<Finding>();
  const inOrder = findings.toSorted((a, b) => a.span.start - b.span.start);
  const startAt = (at: number) => inOrder[at]?.span.start ?? Number.POSITIVE_INFINITY;
  const byScope = new Map<string, Ignore[]>();
  for (const ignore of ignores) {
    const key = `${ignore.scope?.start} ${ignore.scope?.end}`;
    const others = byScope.get(key);
    if (others === undefined) byScope.set(key, [ignore]);
    else others.push(ignore);
  }
  // Those of one scope look through it together, however many they are.
  for (const those of byScope.values()) {
    const { start, end } = those[0]?.scope ?? { start: 0, end: Number.MAX_SAFE_INTEGER };
    const ids = new Set(those.flatMap((one) => one.ids));
    const found = new Set<string>();
    for (let at = lastAtMost(start - 1, inOrder.length, startAt) + 1; startAt(at) <= end; at += 1) {
      const finding = inOrder[at] as Finding;
      const [rule, group] = [finding.rule, groupOf(finding.rule)];
      if ((!ids.has(rule) && !ids.has(group)) || known.get(rule)?.mandatory) continue;
      found.add(rule).add(group);
      silenced.add(finding);
    }
    for (const one of those) for (const id of one.ids) if (found.has(id)) one.used.add(id);
  }
  return silenced;
}

/** A function that gives the line that a comment silences, as a span of the file. */
function scopes(): (place: Place, comment: Span) => Span {
  const known = new Map<Place, readonly Span[]>();
  return (place, comment) => {
    const { text } = place;
    const start = text.lastIndexOf('\n', comment.start - 1) + 1;
    if (text.slice(start, comment.start).trim() !== '') {
      return toFile(place, { start, end: comment.end });
    }
    const lines = known.get(place) ?? fullLines(text);
    known.set(place, lines);
    const next = lastAtMost(comment.end, lines.length, (at) => (lines[at] as Span).start) + 1;
    const last = { start: text.lastIndexOf('\n') + 1, end: text.length };
    return toFile(place, lines[next] ?? last);
  };
}

/** The lines that hold more than blanks or a comment. */
function fullLines(text: string): readonly Span[] {
  const lines: Span[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    if (!/^\s*(?:#|$)/.test(line)) lines.push({ start, end: start + line.length });
    start += line.length + 1;
  }
  return lines;
}
