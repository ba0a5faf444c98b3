import type { Span } from '../source/index.js';
import type { ProposedFix } from './finding.js';
import type { Rule, RuleMeta } from './rule.js';
import { adviseOn, quote, suggestRule } from './wording.js';

/** What an inline comment asks the linter to do. */
export interface Directive {
  /** The word after `perturb:`; anything but the two known ones is a mistake. */
  readonly kind: string;
  readonly kindSpan: Span;
  readonly ids: readonly { readonly id: string; readonly span: Span }[];
  /** What stands after `--` or `:`, in the comment. */
  readonly reason?: string;
}

const DIRECTIVES = ['ignore', 'ignore-file'];

export function isKnown({ kind }: Directive): boolean {
  return DIRECTIVES.includes(kind);
}

const HEAD = /^(#\s*perturb:\s*)(\S*)\s*/;
/** Ids are parted by commas; the first word that no comma follows is the last id. */
const ID = /^(?!--)([^\s,:]+)\s*(,\s*)?/;
const REASON = /^\s*(?:--|:)\s*(\S.*)$/;

/**
 * Reads `# perturb: ignore RULE[, RULE] [reason]` or `# perturb: ignore-file ...`. A rule may be a
 * group, as in `expression/*`; `--` or `:` may stand before the reason.
 *
 * @param comment the comment from its `#`
 * @param offset where the comment begins in its text: spans count from the text's start
 * @returns undefined for any other comment
 */
export function readDirective(comment: string, offset: number): Directive | undefined {
  const head = HEAD.exec(comment);
  if (head === null) return undefined;
  const [all, before, kind] = head as unknown as [string, string, string];
  const spanAt = (start: number, text: string): Span => ({
    start: offset + start,
    end: offset + start + text.length,
  });
  const ids: { id: string; span: Span }[] = [];
  let at = all.length;
  let more = true;
  while (more) {
    const match = ID.exec(comment.slice(at));
    if (match === null) break;
    const [read, id, comma] = match as unknown as [string, string, string | undefined];
    ids.push({ id, span: spanAt(at, id) });
    at += read.length;
    more = comma !== undefined;
  }
  const reason = REASON.exec(comment.slice(at))?.[1]?.trimEnd();
  return { kind, kindSpan: spanAt(before.length, kind), ids, ...(reason && { reason }) };
}

/** What the rules about inline ignores look at: one comment with a directive. */
export interface IgnoreInput {
  /** The text that the comment stands in. */
  readonly text: string;
  readonly span: Span;
  readonly directive: Directive;
  /** The rules that it names, and that report nothing it could silence. */
  readonly idle: readonly string[];
  /** All that it may name. */
  readonly rules: ReadonlyMap<string, RuleMeta>;
  readonly groups: ReadonlySet<string>;
}

const objective = (comment: string, attempts: string): string => `name = "Wind"

[[measurement]]
name = "Stays in the air"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = 10
failing_measurements = ${attempts}${comment}
`;

/** An inline ignore that silences nothing: a fix when that is so of each rule it names. */
const unused: Rule<IgnoreInput> = {
  id: 'ignore/unused',
  severity: 'warning',
  fixable: 'safe',
  summary: 'an inline ignore that silences nothing',
  why: 'It would hide the next mistake on its line.',
  action: 'Remove the comment.',
  examples: {
    fails: objective(' # perturb: ignore objective/unreachable-stopping-condition', '5'),
    passes: objective(' # perturb: ignore objective/unreachable-stopping-condition', '50'),
  },
  check({ text, span, directive, idle, rules }, report) {
    const removable = idle.length === directive.ids.length;
    for (const id of idle) {
      const mandatory = rules.get(id)?.mandatory === true;
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

/** Removes a comment; what is said there to people stays. */
function removal(text: string, span: Span, { reason }: Directive): ProposedFix {
  const edit =
    reason === undefined
      ? { span: withBlanks(text, span), text: '' }
      : { span, text: `# ${reason}` };
  const title = reason === undefined ? 'remove the comment' : 'remove all but the reason';
  return { title, kind: 'safe', edits: [edit] };
}

/** Removes one of the ids, with its comma. */
function removalOf(id: string, { ids }: Directive): ProposedFix | undefined {
  const at = ids.findIndex((one) => one.id === id);
  const [before, own, after] = [ids[at - 1], ids[at], ids[at + 1]];
  if (own === undefined || (before ?? after) === undefined) return undefined;
  const start = after === undefined ? (before?.span.end ?? own.span.start) : own.span.start;
  const end = after?.span.start ?? own.span.end;
  return {
    title: `remove ${quote(id)}`,
    kind: 'safe',
    edits: [{ span: { start, end }, text: '' }],
  };
}

/** A comment with the blanks before it, and with its line when it stands alone. */
function withBlanks(text: string, { start, end }: Span): Span {
  let from = start;
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from -= 1;
  const alone = from === 0 || text[from - 1] === '\n';
  const newline = text.startsWith('\r\n', end) ? 2 : text[end] === '\n' ? 1 : 0;
  return { start: from, end: alone ? end + newline : end };
}

/** An inline ignore of an id that does not exist, of none, or a word that is no directive. */
const unknownRule: Rule<IgnoreInput> = {
  id: 'ignore/unknown-rule',
  severity: 'error',
  fixable: 'suggested',
  summary: 'an inline ignore of an id that does not exist',
  why: 'It silences nothing, while its author believes that it does.',
  action: 'Correct the id; `perturb rules` lists them all.',
  examples: {
    fails: objective(' # perturb: ignore objective/unreachable', '5'),
    passes: objective('', '5'),
  },
  check({ span: comment, directive, rules, groups }, report) {
    const { kind, kindSpan, ids } = directive;
    if (!isKnown(directive)) {
      report({
        message: `unknown directive ${quote(kind)}`,
        ...adviseOn(kind, DIRECTIVES),
        span: kind === '' ? comment : kindSpan,
      });
      return;
    }
    if (ids.length === 0) {
      report({
        message: `"${kind}" names no rule`,
        help: `write the id of the rule, such as ${kind} expression/unquoted-string`,
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
