import stringWidth from 'string-width';
import { visible } from '../../reporters/index.js';
import { emptyReason, indented, resultLines, stagesTable } from './evaluation-text.js';
import { type Measured, type Outcome, outcomeOf, type SessionVerdict } from './measured.js';
import { fitted, inside, type Paint, type VerdictLook } from './paint.js';

const INDENT = '  ';

/** An objective's measurements over one session, for people. */
export function sessionText({ session, measurements }: SessionVerdict, look: VerdictLook): string {
  const parts = measurements.map((measured) => indented(measuredText(measured, look), INDENT));
  const apart = parts.map((part, at) => {
    const isLong = part.includes('\n\n') || parts[at - 1]?.includes('\n\n');
    return at > 0 && isLong ? `\n${part}` : part;
  });
  return `${look.paint.bold(visible(session))}\n${apart.join('')}`;
}

/** How far what belongs to a measurement stands from the left. */
export const BODY = 6;

function measuredText(measured: Measured, look: VerdictLook): string {
  const { evaluation, diagram } = measured;
  const outcome = outcomeOf(measured);
  const mark = `${markOf(outcome, look)} ${outcome}`;
  const lines = resultLines(evaluation, inside(look, BODY)).map((line) => `${line}\n`);
  const isEmpty = emptyReason(evaluation) !== undefined;
  const more = [
    isEmpty && outcome !== 'passed' ? stagesTable(evaluation.labels, look) : '',
    diagram ?? '',
  ].filter((part) => part !== '');
  const body = [lines.join(''), ...more.map((part) => `\n${part}`)].join('');
  const title = titleOf(measured, inside(look, INDENT.length), mark.length + 2);
  return `${look.paint[outcome](mark)}  ${title}\n${indented(body, INDENT.repeat(2))}`;
}

/** The name, and what was expected where that is not the usual; below the name if it must. */
function titleOf(measured: Measured, look: VerdictLook, at: number): string {
  const [name, note] = [visible(measured.name), expectation(measured)];
  const bold = look.paint.bold(fitted(name, look, at));
  if (note === '') return bold;
  const fits = at + stringWidth(`${name} ${note}`) <= look.textWidth;
  return `${bold}${fits ? ' ' : `\n${' '.repeat(at)}`}${note}`;
}

function markOf(outcome: Outcome, { glyphs }: VerdictLook): string {
  return outcome === 'undecided' ? '?' : glyphs[outcome];
}

/** Said only where it is not the usual one. */
function expectation({ shouldPass, evaluation: { status } }: Measured): string {
  if (shouldPass || status === 'undecided') return '';
  return status === 'holds' ? '(holds, but should not)' : '(does not hold, as expected)';
}

/** The last line: how many of all the measurements came out how. */
export function totalText(verdicts: readonly SessionVerdict[], paint: Paint): string {
  const outcomes = verdicts.flatMap(({ measurements }) => measurements.map(outcomeOf));
  const parts = (['passed', 'failed', 'undecided'] as const).flatMap((outcome) => {
    const count = outcomes.filter((one) => one === outcome).length;
    return count === 0 ? [] : [paint[outcome](`${count} ${outcome}`)];
  });
  const unread = verdicts.filter((verdict) => verdict.unread !== undefined).length;
  if (unread > 0) parts.push(paint.failed(`${unread} not read`));
  const where = verdicts.length === 1 ? '1 session' : `${verdicts.length} sessions`;
  return `${parts.join(', ')} in ${where}\n`;
}

/** For each measurement in how many of the sessions it came out how. */
export function allText(verdicts: readonly SessionVerdict[], look: VerdictLook): string {
  const rows = tallies(verdicts).map(({ name, passed, failed, undecided }) => {
    const outcome = failed > 0 ? 'failed' : undecided > 0 ? 'undecided' : 'passed';
    const of = passed + failed + undecided;
    const counts = [
      `passed in ${passed} of ${of}`,
      ...(undecided > 0 ? [`undecided in ${undecided}`] : []),
    ];
    return `${INDENT}${look.paint[outcome](markOf(outcome, look))} ${visible(name)}: ${counts.join(', ')}\n`;
  });
  return `${look.paint.bold('all sessions')}\n${rows.join('')}`;
}

export interface VerdictCounts extends Readonly<Record<Outcome, number>> {
  readonly name: string;
}

/** For each measurement in how many of the sessions it came out how. */
export function tallies(verdicts: readonly SessionVerdict[]): VerdictCounts[] {
  const read = verdicts.filter(({ unread }) => unread === undefined);
  return (read[0]?.measurements ?? []).map(({ name }, at) => {
    const outcomes = read.map(({ measurements }) => outcomeOf(measurements[at] as Measured));
    const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
    return {
      name,
      passed: count('passed'),
      failed: count('failed'),
      undecided: count('undecided'),
    };
  });
}
