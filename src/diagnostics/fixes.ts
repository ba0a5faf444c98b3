import { decodeSource, lastAtMost } from '../source/index.js';
import { count, type Edit, type Finding, type Fix } from './finding.js';

const BOM = '\ufeff';

/** Which fixes are made: only the safe ones, or the suggested ones too. */
export interface FixOptions {
  readonly suggested?: boolean | undefined;
}

/** Whether a finding has a fix that should be made. */
export function hasFix({ fix }: Finding, { suggested }: FixOptions = {}): boolean {
  return fix !== undefined && (suggested === true || fix.kind === 'safe');
}

/**
 * The edits of all fixes that can be made together, by their start. A fix that touches what an
 * earlier one changes is left, as a whole, for another round.
 */
export function fixEdits(findings: readonly Finding[], options?: FixOptions): readonly Edit[] {
  const taken: Edit[] = [];
  for (const finding of findings) {
    if (!hasFix(finding, options)) continue;
    const fix = finding.fix as Fix;
    if (fix.edits.some((edit) => touchesAny(taken, edit))) continue;
    for (const edit of fix.edits) taken.splice(placeAfter(taken, edit.span.start), 0, edit);
  }
  return taken;
}

/**
 * The text with the fixes of its findings made, as `fixEdits` chooses them.
 *
 * @param text with or without the BOM of its file, which spans do not count
 * @returns the text unchanged when there is nothing to fix
 */
export function applyFixes(
  text: string,
  findings: readonly Finding[],
  options?: FixOptions,
): string {
  return applyEdits(text, fixEdits(findings, options));
}

/**
 * The text after edits that are in order and do not touch.
 *
 * @param text with or without the BOM of its file, which spans do not count
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const parts: string[] = [];
  let at = bom.length;
  for (const { span, text: replacement } of edits) {
    parts.push(text.slice(at, bom.length + span.start), replacement);
    at = bom.length + span.end;
  }
  return bom + parts.join('') + text.slice(at);
}

/**
 * Whether an edit touches one of those that are taken, which are in order and do not touch
 * each other: only the last that begins before its end can.
 */
function touchesAny(taken: readonly Edit[], { span }: Edit): boolean {
  const before = taken[placeAfter(taken, span.end) - 1];
  return before !== undefined && before.span.end >= span.start;
}

/** How many of the edits begin at or before an offset. */
function placeAfter(edits: readonly Edit[], offset: number): number {
  return lastAtMost(offset, edits.length, (index) => (edits[index] as Edit).span.start) + 1;
}

/** The most characters of a file that are checked again to try its fixes. */
const MOST_TRIED = 2_000_000;

/**
 * The findings of a text without the fixes after which it has more errors. They are tried together, and in
 * halves where that fails; suggestions that there is no time to try are left out.
 *
 * @param isCandidate true for a finding whose fixes were not tried yet
 * @param lint checks a text without trying fixes
 */
export function withoutHarmfulFixes(
  findings: readonly Finding[],
  text: string,
  isCandidate: (finding: Finding) => boolean,
  lint: (text: string) => readonly Finding[],
): readonly Finding[] {
  const candidates = findings.filter((one) => one.fix !== undefined && isCandidate(one));
  if (candidates.length === 0) return findings;
  const tried = new Set(candidates);
  const before = count(findings).errors;
  const harmless = new Set<Fix>();
  let remaining = MOST_TRIED;
  const hold = (fixes: readonly Tried[]): boolean => {
    const edits = fixes.flatMap(({ fix }) => fix.edits).sort((a, b) => a.span.start - b.span.start);
    if (edits.some(({ span }, at) => span.start <= (edits[at - 1]?.span.end ?? -1))) return false;
    remaining -= text.length;
    const { errors } = count(lint(applyEdits(text, edits)));
    const solved = fixes.filter(({ severity }) => severity === 'error').length;
    return errors <= (fixes.length === 1 ? before : before - solved);
  };
  const tryAll = (fixes: readonly Tried[]): void => {
    const half = Math.ceil(fixes.length / 2);
    if (remaining <= 0 || (fixes.length > 0 && hold(fixes))) {
      for (const { fix } of fixes) if (remaining > 0 || fix.kind === 'safe') harmless.add(fix);
    } else if (fixes.length > 1) {
      tryAll(fixes.slice(0, half));
      tryAll(fixes.slice(half));
    }
  };
  const all = candidates.map(({ fix, severity }) =>
    [fix as Fix, ...(fix?.alternatives ?? [])].map((one): Tried => ({ fix: one, severity })),
  );
  const most = all.reduce((length, fixes) => Math.max(length, fixes.length), 0);
  for (let at = 0; at < most; at += 1) tryAll(all.flatMap((fixes) => fixes[at] ?? []));
  return findings.map((finding) => {
    if (!tried.has(finding)) return finding;
    const { fix, ...rest } = finding;
    if (fix === undefined || !harmless.has(fix)) return rest;
    const alternatives = fix.alternatives?.filter((one) => harmless.has(one));
    return { ...finding, fix: { ...fix, ...(alternatives && { alternatives }) } };
  });
}

/** A fix that is tried, and the severity of its finding. */
interface Tried {
  readonly fix: Fix;
  readonly severity: Finding['severity'];
}

/** Fixes can make room for others; in a file that is not TOML each round finds the next mistake. */
const MOST_ROUNDS = 200;

/** A file after its fixes. */
export interface Fixed {
  /** As they were, if nothing could be fixed. */
  readonly bytes: Uint8Array;
  /** What is left. */
  readonly findings: readonly Finding[];
  readonly changed: boolean;
}

/**
 * Makes the fixes of a file until none is left. Every byte that no fix changes
 * stays. A file that is not UTF-8 stays as it is: its bytes cannot be recovered
 * from its text.
 */
export function fixBytes(
  path: string,
  bytes: Uint8Array,
  lint: (bytes: Uint8Array) => readonly Finding[],
  options?: FixOptions,
): Fixed {
  let current = bytes;
  let findings = lint(current);
  if (decodeSource(path, bytes).invalid.length > 0) return { bytes, findings, changed: false };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { source } = decodeSource(path, current);
    const fixable = findings.filter((finding) => hasFix(finding, options));
    // All together, or else the first that leaves a text that can be read.
    const better = [fixable, ...fixable.map((finding) => [finding])].find((some) => {
      const text = applyFixes(source.text, some, options);
      const bytes = Buffer.from((source.bom ? '\ufeff' : '') + text);
      const left = text === source.text ? undefined : lint(bytes);
      if (left === undefined || isWorse(left, findings)) return false;
      current = bytes;
      findings = left;
      return true;
    });
    if (better === undefined) break;
  }
  return { bytes: current, findings, changed: current !== bytes };
}

/** Whether less can be read than before: there is one more syntax mistake, or one that comes earlier. */
function isWorse(after: readonly Finding[], before: readonly Finding[]): boolean {
  for (const rule of ['toml/syntax', 'expression/syntax']) {
    const [left = [], had = []] = [after, before].map((some) =>
      some.filter((finding) => finding.rule === rule),
    );
    if (left.length > had.length) return true;
    if (rule === 'toml/syntax' && had.length > 0) {
      return (left[0]?.span.start ?? Number.POSITIVE_INFINITY) <= (had[0] as Finding).span.start;
    }
  }
  return false;
}
