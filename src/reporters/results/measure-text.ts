import stringWidth from 'string-width';
import {
  type Measured,
  measuredVerdict,
  type ObjectiveResult,
  type SessionResult,
  vacuities,
  vacuityLines,
  verdictCounts,
} from '../../results/index.js';
import { fitted, inside, type Paint, type ResultLook } from '../terminal/paint.js';
import { visible } from '../text.js';
import {
  drawEvidence,
  emptyReason,
  indented,
  markOf,
  resultLines,
  stagesTable,
} from './evaluation-text.js';

const NEST = '  ';

/** An objective's measurements over one session, for people. */
export function sessionText(session: SessionResult, look: ResultLook): string {
  const { name, measurements } = session;
  const vacuous = vacuities([session]);
  const parts = measurements.map((measured) => {
    const vacuity = vacuous.find((one) => one.name === measured.name);
    return indented(measuredText(measured, vacuity ? vacuityLines(vacuity) : [], look), NEST);
  });
  const apart = parts.map((part, at) => {
    const isLong = part.includes('\n\n') || parts[at - 1]?.includes('\n\n');
    return at > 0 && isLong ? `\n${part}` : part;
  });
  return `${look.paint.bold(visible(name))}\n${apart.join('')}`;
}

/** How far the body of a measurement is indented. */
const BODY = 6;

function measuredText(measured: Measured, vacuity: readonly string[], look: ResultLook): string {
  const { evaluation, excerpts } = measured;
  const outcome = measuredVerdict(measured);
  const mark = `${markOf(outcome, look)} ${outcome}`;
  const lines = resultLines(evaluation, inside(look, BODY), vacuity).map((line) => `${line}\n`);
  const isEmpty = emptyReason(evaluation) !== undefined;
  const more = [
    isEmpty && outcome !== 'passed' ? stagesTable(evaluation.labels, look) : '',
    outcome === 'failed' ? drawEvidence(evaluation, excerpts, inside(look, BODY)) : '',
  ].filter((part) => part !== '');
  const body = [lines.join(''), ...more.map((part) => `\n${part}`)].join('');
  const title = titleOf(measured, inside(look, NEST.length), mark.length + 2);
  return `${look.paint[outcome](mark)}  ${title}\n${indented(body, NEST.repeat(2))}`;
}

/** The name, and what was expected if that is unusual; below the name if it does not fit beside it. */
function titleOf(measured: Measured, look: ResultLook, at: number): string {
  const [name, note] = [visible(measured.name), expectation(measured)];
  const bold = look.paint.bold(fitted(name, look, at));
  if (note === '') return bold;
  const fits = at + stringWidth(`${name} ${note}`) <= look.textWidth;
  return `${bold}${fits ? ' ' : `\n${' '.repeat(at)}`}${note}`;
}

function expectation({ shouldPass, evaluation: { status } }: Measured): string {
  if (shouldPass || status === 'undecided') return '';
  return status === 'holds' ? '(holds, but should not)' : '(does not hold, as expected)';
}

export function measureText({ sessions }: ObjectiveResult, look: ResultLook): string {
  const read = sessions.filter(({ unread }) => unread === undefined);
  return read.map((one) => `${sessionText(one, look)}\n`).join('') + closingText(sessions, look);
}

/** What comes below the sessions: each measurement over all of them, then the counts. */
export function closingText(sessions: readonly SessionResult[], look: ResultLook): string {
  const all =
    sessions.length > 1 ? `${allText(sessions, look)}\n${vacuousText(sessions, look)}` : '';
  return all + totalText(sessions, look.paint);
}

/** The last line: how many of all the measurements had which verdict. */
function totalText(sessions: readonly SessionResult[], paint: Paint): string {
  const outcomes = sessions.flatMap(({ measurements }) => measurements.map(measuredVerdict));
  const parts = (['passed', 'failed', 'undecided'] as const).flatMap((outcome) => {
    const count = outcomes.filter((one) => one === outcome).length;
    return count === 0 ? [] : [paint[outcome](`${count} ${outcome}`)];
  });
  const unread = sessions.filter((session) => session.unread !== undefined).length;
  if (unread > 0) parts.push(paint.failed(`${unread} not read`));
  const where = sessions.length === 1 ? '1 session' : `${sessions.length} sessions`;
  return `${parts.join(', ')} in ${where}\n`;
}

function vacuousText(sessions: readonly SessionResult[], look: ResultLook): string {
  const parts = vacuities(sessions).map((one) => {
    const lines = vacuityLines(one).map(
      (line) => `${NEST}${fitted(visible(line), look, NEST.length)}\n`,
    );
    return `${look.paint.bold(visible(one.name))} is vacuous:\n${lines.join('')}`;
  });
  return parts.length === 0 ? '' : `${parts.join('')}\n`;
}

/** For each measurement, in how many of the sessions it had which verdict. */
function allText(sessions: readonly SessionResult[], look: ResultLook): string {
  const rows = verdictCounts(sessions).map(({ name, passed, failed, undecided }) => {
    const outcome = failed > 0 ? 'failed' : undecided > 0 ? 'undecided' : 'passed';
    const of = passed + failed + undecided;
    const counts = [
      `passed in ${passed} of ${of}`,
      ...(undecided > 0 ? [`undecided in ${undecided}`] : []),
    ];
    return `${NEST}${look.paint[outcome](markOf(outcome, look))} ${visible(name)}: ${counts.join(', ')}\n`;
  });
  return `${look.paint.bold('all sessions')}\n${rows.join('')}`;
}
