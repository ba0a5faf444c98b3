import { lastIndexAtMost, type SourceFile, type Span } from '../source/index.js';
import {
  type Finding,
  type ProposedFix,
  type TextSource,
  toFileSpan,
  toFinding,
} from './finding.js';
import { type Rule, type RuleMeta, runRules } from './rule.js';
import { adviseOn, groupOf, isSelectedBy, quote, suggestRule } from './wording.js';

/** A linter directive in a comment. */
export interface Directive {
  /** The word after `perturb:`. Any word except `ignore` and `ignore-file` is a mistake. */
  readonly kind: string;
  readonly kindSpan: Span;
  readonly ids: readonly { readonly id: string; readonly span: Span }[];
  /** The text after `--` or `:` in the comment. */
  readonly reason?: string;
}

const DIRECTIVES = ['ignore', 'ignore-file'];

export function isKnownDirective({ kind }: Directive): boolean {
  return DIRECTIVES.includes(kind);
}

const HEAD = /^(#\s*perturb:\s*)(\S*)\s*/;
/** Matches an id and the following comma. The list ends at the first id without a comma. */
const ID = /^(?!--)([^\s,:]+)\s*(,\s*)?/;
const REASON = /^\s*(?:--|:)\s*(\S.*)$/;

/**
 * Parses `# perturb: ignore RULE[, RULE] [reason]` or `# perturb: ignore-file ...`. RULE may also be a group, such as
 * `expression/*`. The reason may follow `--` or `:`.
 *
 * @param comment the comment from its `#`
 * @param offset the comment's start in its text; spans count from the text's start
 * @returns undefined for any other comment
 */
export function readDirective(comment: string, offset: number): Directive | undefined {
  const head = HEAD.exec(comment);
  if (head === null) return undefined;
  const [matchText, before, kind] = head as unknown as [string, string, string];
  const spanAt = (start: number, text: string): Span => ({
    start: offset + start,
    end: offset + start + text.length,
  });
  const ids: { id: string; span: Span }[] = [];
  let at = matchText.length;
  let hasMore = true;
  while (hasMore) {
    const match = ID.exec(comment.slice(at));
    if (match === null) break;
    const [wordText, id, comma] = match as unknown as [string, string, string | undefined];
    ids.push({ id, span: spanAt(at, id) });
    at += wordText.length;
    hasMore = comma !== undefined;
  }
  const reason = REASON.exec(comment.slice(at))?.[1]?.trimEnd();
  return { kind, kindSpan: spanAt(before.length, kind), ids, ...(reason && { reason }) };
}

/** The input of the inline ignore rules: one comment with a directive. */
export interface IgnoreInput {
  /** The text that contains the comment. */
  readonly text: string;
  readonly span: Span;
  readonly directive: Directive;
  /** The named rules without findings in the scope of this ignore. */
  readonly idle: readonly string[];
  /** All rules that the ignore may name, by id. */
  readonly rules: ReadonlyMap<string, RuleMeta>;
  readonly groups: ReadonlySet<string>;
  /** Returns the line number of a rule's finding within the multi-line string that follows the comment. */
  readonly lineBelow: (rule: string) => number | undefined;
}

const objective = (comment: string, attempts: string): string => `name = "Wind"

[[measurement]]
name = "Stays in the air"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = 10
failing_measurements = ${attempts}${comment}
`;

/** Reports an inline ignore that silences no finding. The fix removes the comment, or only the ids without effect. */
const unused: Rule<IgnoreInput> = {
  id: 'ignore/unused',
  severity: 'warning',
  fixable: 'safe',
  summary: 'an inline ignore that silences nothing',
  why: 'The comment would hide the next mistake on its line.',
  action: 'Remove the comment.',
  examples: {
    fails: objective(' # perturb: ignore objective/unreachable-stopping-condition', '5'),
    passes: objective(' # perturb: ignore objective/unreachable-stopping-condition', '50'),
  },
  check({ text, span, directive, idle, rules, lineBelow }, report) {
    const removable = idle.length === directive.ids.length;
    for (const id of idle) {
      const mandatory = rules.get(id)?.mandatory === true;
      const line = mandatory ? undefined : lineBelow(id);
      if (line !== undefined) {
        report({
          message: `rule ${quote(id)} has a finding on line ${line}, which this comment does not cover`,
          help: `a comment silences only one line: move the comment into the string, above line ${line}`,
          span,
        });
        continue;
      }
      report({
        message: mandatory
          ? `rule ${quote(id)} cannot be ignored`
          : `rule ${quote(id)} reports nothing here to ignore`,
        help: removable ? 'remove the comment' : `remove ${quote(id)}`,
        span,
        fix: removable ? removal(text, span, directive) : removalOf(id, directive),
      });
    }
  },
};

/** Removes a comment but keeps its reason. */
function removal(text: string, span: Span, { reason }: Directive): ProposedFix {
  const edit =
    reason === undefined
      ? { span: includeBlanks(text, span), text: '' }
      : { span, text: `# ${reason}` };
  const title = reason === undefined ? 'remove the comment' : 'remove all but the reason';
  return { title, kind: 'safe', edits: [edit] };
}

/** Removes an id and its comma. */
function removalOf(id: string, { ids }: Directive): ProposedFix | undefined {
  const at = ids.findIndex((candidate) => candidate.id === id);
  const [previous, ownId, following] = [ids[at - 1], ids[at], ids[at + 1]];
  if (ownId === undefined || (previous ?? following) === undefined) return undefined;
  const start =
    following === undefined ? (previous?.span.end ?? ownId.span.start) : ownId.span.start;
  const end = following?.span.start ?? ownId.span.end;
  return {
    title: `remove ${quote(id)}`,
    kind: 'safe',
    edits: [{ span: { start, end }, text: '' }],
  };
}

/** Extends a comment's span to the blanks before it, or to the whole line if the line contains nothing else. */
function includeBlanks(text: string, { start, end }: Span): Span {
  let from = start;
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from -= 1;
  const isOwnLine = from === 0 || text[from - 1] === '\n';
  const newline = text.startsWith('\r\n', end) ? 2 : text[end] === '\n' ? 1 : 0;
  return { start: from, end: isOwnLine ? end + newline : end };
}

/** Reports an inline ignore of an unknown id or without an id, or an unknown directive. */
const unknownRule: Rule<IgnoreInput> = {
  id: 'ignore/unknown-rule',
  severity: 'error',
  fixable: 'suggested',
  summary: 'an inline ignore with an unknown rule id',
  why: 'The comment silences nothing, but looks as if it did.',
  action: 'Correct the id. Run `perturb rules` to list all ids.',
  examples: {
    fails: objective(' # perturb: ignore objective/unreachable', '5'),
    passes: objective('', '5'),
  },
  check({ span: comment, directive, rules, groups }, report) {
    const { kind, kindSpan, ids } = directive;
    if (!isKnownDirective(directive)) {
      report({
        message: `unknown directive ${quote(kind)}`,
        ...adviseOn(kind, DIRECTIVES),
        span: kind === '' ? comment : kindSpan,
      });
      return;
    }
    if (ids.length === 0) {
      report({
        message: `"${kind}" has no rule id`,
        help: `write the rule's id, such as ${kind} expression/unquoted-string`,
        span: comment,
      });
    }
    for (const { id, span } of ids) {
      if (rules.has(id) || groups.has(id)) continue;
      const advice = suggestRule(id, [...rules.keys()]);
      const noun = id.endsWith('/*') ? 'group' : 'rule';
      report({ message: `unknown ${noun} ${quote(id)}`, ...advice, span });
    }
  },
};

export const ignoreRules: readonly Rule<IgnoreInput>[] = [unused, unknownRule];

/** A comment in a file, or in an expression within a string of the file. */
export interface Comment {
  readonly place: TextSource;
  /** The span in the text, from the comment sign to the end of the line. */
  readonly span: Span;
}

/** True if a file may contain an inline ignore. Avoids parsing the comments in most files. */
export function mayContainIgnores(file: SourceFile): boolean {
  return file.text.includes('perturb:');
}

/** Options for checking inline ignores. */
export interface IgnoreOptions {
  /** All rules that an ignore may name. */
  readonly rules: readonly RuleMeta[];
  /**
   * Returns true if a rule could not check the whole scope or, if the scope is undefined, the whole file. An ignore of
   * such a rule does not count as unused.
   */
  readonly couldNotRun: (rule: string, scope: Span | undefined) => boolean;
}

/**
 * Removes findings silenced by inline ignores, and adds findings about the ignores themselves. A comment silences its
 * own line or, if alone on its line, the next line that contains more than a comment. `ignore-file` silences the whole
 * file. Findings of mandatory rules cannot be silenced.
 */
export function applyIgnores(
  findings: readonly Finding[],
  comments: readonly Comment[],
  { rules, couldNotRun }: IgnoreOptions,
): Finding[] {
  const rulesById = new Map([...rules, ...ignoreRules].map((rule) => [rule.id, rule]));
  const groups = new Set([...rulesById.keys()].map(groupOf));
  const scopeOf = scopes();
  const ignores = comments.flatMap(({ place, span }): Ignore[] => {
    const directive = readDirective(place.text.slice(span.start, span.end), span.start);
    if (directive === undefined) return [];
    const namedRules = isKnownDirective(directive) ? directive.ids.map(({ id }) => id) : [];
    const ids = namedRules.filter((id) => rulesById.has(id) || groups.has(id));
    const scope = directive.kind === 'ignore-file' ? undefined : scopeOf(place, span);
    return [{ directive, place, span, ids, scope, used: new Set() }];
  });
  const silencedFindings = silence(findings, ignores, rulesById);
  const keptFindings = findings.filter((finding) => !silencedFindings.has(finding));
  /** Returns a group's rules that an inline ignore can silence. */
  const rulesInGroup = (group: string): readonly string[] =>
    [...rulesById.values()].flatMap(({ id, mandatory, off }) =>
      isSelectedBy(id, group) && !mandatory && !off ? [id] : [],
    );
  for (const { place, scope, ...ignore } of ignores) {
    const isIdle = (id: string) => {
      if (ignore.used.has(id)) return false;
      if (rulesById.get(id)?.mandatory) return true;
      const namedRules = groups.has(id) ? rulesInGroup(id) : [id];
      return !namedRules.some((rule) => couldNotRun(rule, scope));
    };
    const idle = ignore.ids.filter(isIdle);
    const below =
      idle.length > 0 && scope && 'lines' in place && multiLineString(place.text, scope);
    const lineBelow = (id: string): number | undefined => {
      if (!below) return undefined;
      const finding = keptFindings.find(
        ({ rule, span }) =>
          isSelectedBy(rule, id) && span.start >= below.start && span.start < below.end,
      );
      return finding?.file.lines.position(finding.span.start).line;
    };
    const input = { ...ignore, idle, text: place.text, rules: rulesById, groups, lineBelow };
    runRules(ignoreRules, input, (rule, violation) => {
      keptFindings.push(toFinding(rule, violation, place));
    });
  }
  return keptFindings;
}

interface Ignore {
  readonly directive: Directive;
  readonly place: TextSource;
  readonly span: Span;
  /** The directive's ids that name an existing rule or group. */
  readonly ids: readonly string[];
  /** The silenced span of the file, including its end; undefined for the whole file. */
  readonly scope: Span | undefined;
  readonly used: Set<string>;
}

/** Returns the span of a multi-line string that starts on a line, excluding this line. */
function multiLineString(text: string, { start, end }: Span): Span | undefined {
  const opening = /("""|''')[^"'\n]*$/.exec(text.slice(start, end))?.[1];
  const close = opening === undefined ? -1 : text.indexOf(opening, end);
  return close === -1 ? undefined : { start: end, end: close };
}

/** Returns the silenced findings. Records the silenced rules in each ignore. */
function silence(
  findings: readonly Finding[],
  ignores: readonly Ignore[],
  rulesById: ReadonlyMap<string, RuleMeta>,
): Set<Finding> {
  const silencedFindings = new Set<Finding>();
  const byPosition = findings.toSorted((a, b) => a.span.start - b.span.start);
  const startAt = (at: number) => byPosition[at]?.span.start ?? Number.POSITIVE_INFINITY;
  const ignoresByScope = new Map<string, Ignore[]>();
  for (const ignore of ignores) {
    const key = `${ignore.scope?.start} ${ignore.scope?.end}`;
    ignoresByScope.set(key, ignoresByScope.get(key) ?? []);
    ignoresByScope.get(key)?.push(ignore);
  }
  // Applies all ignores of a scope together, which is faster for many ignores.
  for (const sameScope of ignoresByScope.values()) {
    const { start, end } = sameScope[0]?.scope ?? { start: 0, end: Number.MAX_SAFE_INTEGER };
    const ids = new Set(sameScope.flatMap((ignore) => ignore.ids));
    const silencedIds = new Set<string>();
    for (
      let at = lastIndexAtMost(start - 1, byPosition.length, startAt) + 1;
      startAt(at) <= end;
      at += 1
    ) {
      const finding = byPosition[at] as Finding;
      const [rule, group] = [finding.rule, groupOf(finding.rule)];
      if ((!ids.has(rule) && !ids.has(group)) || rulesById.get(rule)?.mandatory) continue;
      silencedIds.add(rule).add(group);
      silencedFindings.add(finding);
    }
    for (const ignore of sameScope)
      for (const id of ignore.ids) if (silencedIds.has(id)) ignore.used.add(id);
  }
  return silencedFindings;
}

/** Returns a function that maps a comment to its silenced line, as a span of the file. */
function scopes(): (place: TextSource, comment: Span) => Span {
  const linesOf = new Map<TextSource, readonly Span[]>();
  return (place, comment) => {
    const { text } = place;
    const start = text.lastIndexOf('\n', comment.start - 1) + 1;
    if (text.slice(start, comment.start).trim() !== '') {
      return toFileSpan(place, { start, end: comment.end });
    }
    const lines = linesOf.get(place) ?? fullLines(text);
    linesOf.set(place, lines);
    const next = lastIndexAtMost(comment.end, lines.length, (at) => (lines[at] as Span).start) + 1;
    const last = { start: text.lastIndexOf('\n') + 1, end: text.length };
    return toFileSpan(place, lines[next] ?? last);
  };
}

/** Returns the lines that contain more than blanks or a comment. */
function fullLines(text: string): readonly Span[] {
  const lines: Span[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    if (!/^\s*(?:#|$)/.test(line)) lines.push({ start, end: start + line.length });
    start += line.length + 1;
  }
  return lines;
}
