import { decodeSource, lastIndexAtMost } from '../source/index.js';
import { count, type Edit, type Finding, type Fix } from './finding.js';

const BOM = '\ufeff';

/** The kinds of fixes to apply: only safe fixes, or also suggested fixes. */
export interface FixOptions {
  readonly suggested?: boolean | undefined;
}

/** True if a finding has a fix of the chosen kinds. */
export function hasFix({ fix }: Finding, { suggested }: FixOptions = {}): boolean {
  return fix !== undefined && (suggested === true || fix.kind === 'safe');
}

/**
 * Returns the edits of all compatible fixes, sorted by start. Omits all edits of a fix that touches an earlier fix's
 * edits. A later round can apply the omitted fix.
 */
export function collectEdits(findings: readonly Finding[], options?: FixOptions): readonly Edit[] {
  const chosenEdits: Edit[] = [];
  for (const finding of findings) {
    if (!hasFix(finding, options)) continue;
    const fix = finding.fix as Fix;
    if (fix.edits.some((edit) => touchesAny(chosenEdits, edit))) continue;
    for (const edit of fix.edits)
      chosenEdits.splice(placeAfter(chosenEdits, edit.span.start), 0, edit);
  }
  return chosenEdits;
}

/**
 * Applies the fixes selected by `collectEdits` to a text.
 *
 * @param text with or without the file's BOM; spans exclude the BOM
 * @returns the text unchanged if there is nothing to fix
 */
export function applyFixes(
  text: string,
  findings: readonly Finding[],
  options?: FixOptions,
): string {
  return applyEdits(text, collectEdits(findings, options));
}

/**
 * Applies sorted edits that do not touch each other.
 *
 * @param text with or without the file's BOM; spans exclude the BOM
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
 * True if an edit touches a chosen edit. Chosen edits are sorted and do not touch each other, so it suffices to check
 * the last chosen edit that begins before the edit's end.
 */
function touchesAny(chosenEdits: readonly Edit[], { span }: Edit): boolean {
  const previous = chosenEdits[placeAfter(chosenEdits, span.end) - 1];
  return previous !== undefined && previous.span.end >= span.start;
}

/** Returns the number of edits that begin at or before an offset. */
function placeAfter(edits: readonly Edit[], offset: number): number {
  return lastIndexAtMost(offset, edits.length, (index) => (edits[index] as Edit).span.start) + 1;
}

/** Maximum total number of characters to recheck when trying a file's fixes. */
const MAX_TRIED_BYTES = 2_000_000;

/**
 * Removes fixes that increase the number of errors in a text. Tries fixes together and, if that fails, in halves.
 * Removes suggested fixes that exceed the limit of characters to recheck.
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
  const candidates = findings.filter(
    (finding) => finding.fix !== undefined && isCandidate(finding),
  );
  if (candidates.length === 0) return findings;
  const triedFixes = new Set(candidates);
  const errorsBefore = count(findings).errors;
  const harmless = new Set<Fix>();
  let remaining = MAX_TRIED_BYTES;
  const hold = (fixes: readonly TriedFix[]): boolean => {
    const edits = fixes.flatMap(({ fix }) => fix.edits).sort((a, b) => a.span.start - b.span.start);
    if (edits.some(({ span }, at) => span.start <= (edits[at - 1]?.span.end ?? -1))) return false;
    remaining -= text.length;
    const { errors } = count(lint(applyEdits(text, edits)));
    const solvedErrors = fixes.filter(({ severity }) => severity === 'error').length;
    return errors <= (fixes.length === 1 ? errorsBefore : errorsBefore - solvedErrors);
  };
  const tryAll = (fixes: readonly TriedFix[]): void => {
    const middle = Math.ceil(fixes.length / 2);
    if (remaining <= 0 || (fixes.length > 0 && hold(fixes))) {
      for (const { fix } of fixes) if (remaining > 0 || fix.kind === 'safe') harmless.add(fix);
    } else if (fixes.length > 1) {
      tryAll(fixes.slice(0, middle));
      tryAll(fixes.slice(middle));
    }
  };
  const fixesByFinding = candidates.map(({ fix, severity }) =>
    [fix as Fix, ...(fix?.alternatives ?? [])].map(
      (candidate): TriedFix => ({ fix: candidate, severity }),
    ),
  );
  const maxFixes = fixesByFinding.reduce((length, fixes) => Math.max(length, fixes.length), 0);
  for (let at = 0; at < maxFixes; at += 1)
    tryAll(fixesByFinding.flatMap((fixes) => fixes[at] ?? []));
  return findings.map((finding) => {
    if (!triedFixes.has(finding)) return finding;
    const { fix, ...withoutFix } = finding;
    if (fix === undefined || !harmless.has(fix)) return withoutFix;
    const alternatives = fix.alternatives?.filter((alternative) => harmless.has(alternative));
    return { ...finding, fix: { ...fix, ...(alternatives && { alternatives }) } };
  });
}

/** A fix to try, with its finding's severity. */
interface TriedFix {
  readonly fix: Fix;
  readonly severity: Finding['severity'];
}

/**
 * Maximum number of rounds. A round can make other fixes possible; in invalid TOML, each round reveals the next error.
 */
const MAX_ROUNDS = 200;

/** A file after fixing. */
export interface FixResult {
  /** The fixed file, or the original bytes if no fix was applied. */
  readonly bytes: Uint8Array;
  /** The remaining findings. */
  readonly findings: readonly Finding[];
  readonly changed: boolean;
}

/**
 * Applies a file's fixes until no fix remains. Preserves all other bytes. Leaves a file unchanged if it is not UTF-8,
 * because decoding would lose bytes.
 */
export function fixBytes(
  path: string,
  bytes: Uint8Array,
  lint: (bytes: Uint8Array) => readonly Finding[],
  options?: FixOptions,
): FixResult {
  let current = bytes;
  let findings = lint(current);
  if (decodeSource(path, bytes).invalid.length > 0) return { bytes, findings, changed: false };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { source } = decodeSource(path, current);
    const fixable = findings.filter((finding) => hasFix(finding, options));
    // Tries all fixes together, then each fix alone, and uses the first result that is not worse.
    const betterFixes = [fixable, ...fixable.map((finding) => [finding])].find((subset) => {
      const text = applyFixes(source.text, subset, options);
      const bytes = Buffer.from((source.bom ? '\ufeff' : '') + text);
      const remaining = text === source.text ? undefined : lint(bytes);
      if (remaining === undefined || isWorse(remaining, findings)) return false;
      current = bytes;
      findings = remaining;
      return true;
    });
    if (betterFixes === undefined) break;
  }
  return { bytes: current, findings, changed: current !== bytes };
}

/** True if there are more syntax errors than before, or if the first TOML syntax error did not move down. */
function isWorse(newFindings: readonly Finding[], previousFindings: readonly Finding[]): boolean {
  for (const rule of ['toml/syntax', 'expression/syntax']) {
    const [remainingErrors = [], previousErrors = []] = [newFindings, previousFindings].map(
      (subset) => subset.filter((finding) => finding.rule === rule),
    );
    if (remainingErrors.length > previousErrors.length) return true;
    if (rule === 'toml/syntax' && previousErrors.length > 0) {
      return (
        (remainingErrors[0]?.span.start ?? Number.POSITIVE_INFINITY) <=
        (previousErrors[0] as Finding).span.start
      );
    }
  }
  return false;
}
