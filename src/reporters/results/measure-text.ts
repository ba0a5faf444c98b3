import stringWidth from 'string-width';
import { visible } from '../../basics/index.js';
import type { Finding } from '../../diagnostics/index.js';
import type { MeasuredSession, MeasurementDocument, MeasurementPart } from '../../results/index.js';
import { compactLine } from '../report.js';
import { indentLook, type ResultLook, wrapAt } from '../terminal/paint.js';
import {
  drawEvidence,
  formatNearMisses,
  indentLines,
  markOf,
  resultLines,
  stagesTable,
} from './evaluation-text.js';

const NEST = '  ';

/** Renders an objective's measurements on a session. */
export function sessionText({ name, measurements }: MeasuredSession, look: ResultLook): string {
  const parts = measurements.map((one) => indentLines(measurementText(one, look), NEST));
  const apart = parts.map((part, at) => {
    const isLong = part.includes('\n\n') || parts[at - 1]?.includes('\n\n');
    return at > 0 && isLong ? `\n${part}` : part;
  });
  return `${look.paint.bold(visible(name))}\n${apart.join('')}`;
}

/** Indentation of a measurement's body, in columns. */
const BODY = 6;

function measurementText(part: MeasurementPart, look: ResultLook): string {
  const { verdict, evaluation, vacuity } = part;
  const mark = `${markOf(verdict, look)} ${verdict}`;
  const lines = [
    ...resultLines(evaluation, indentLook(look, BODY), vacuity),
    // If the measurement passed, the notes on its bindings add nothing.
    ...(verdict === 'passed' ? formatNearMisses(evaluation, indentLook(look, BODY)) : []),
  ].map((line) => `${line}\n`);
  const isEmpty = evaluation.noBinding !== undefined;
  const more = [
    isEmpty && verdict !== 'passed' ? stagesTable(evaluation, look) : '',
    verdict === 'failed' ? drawEvidence(evaluation, indentLook(look, BODY)) : '',
  ].filter((text) => text !== '');
  const body = [lines.join(''), ...more.map((text) => `\n${text}`)].join('');
  const title = titleOf(part, indentLook(look, NEST.length), mark.length + 2);
  return `${look.paint[verdict](mark)}  ${title}\n${indentLines(body, NEST.repeat(2))}`;
}

/** Returns the name and any unusual expectation, on two lines if one line is too short. */
function titleOf(part: MeasurementPart, look: ResultLook, at: number): string {
  const [name, note] = [visible(part.name), expectation(part)];
  const bold = look.paint.bold(wrapAt(name, look, at));
  if (note === '') return bold;
  const fits = at + stringWidth(`${name} ${note}`) <= look.textWidth;
  return `${bold}${fits ? ' ' : `\n${' '.repeat(at)}`}${note}`;
}

function expectation({ shouldPass, status }: MeasurementPart): string {
  if (shouldPass || status === 'undecided') return '';
  return status === 'holds' ? '(holds, but should not)' : '(does not hold, as expected)';
}

export function measureText(document: MeasurementDocument, look: ResultLook): string {
  const read = document.sessions.filter(({ unread }) => unread === undefined);
  const sessions = read.map((one) => `${sessionText(one, look)}\n`).join('');
  return headlineText(document, look) + sessions + closingText(document, look);
}

/** Returns the headline as a paragraph. */
export function headlineText(
  { headline: { verdict, text } }: Pick<MeasurementDocument, 'headline'>,
  look: ResultLook,
): string {
  return `${look.paint[verdict](wrapAt(visible(text), look, 0))}\n\n`;
}

/**
 * Returns the text after all sessions: each measurement's overall result, the findings and the
 * counts.
 */
export function closingText(document: MeasurementDocument, look: ResultLook): string {
  const overall = document.sessions.length > 1 ? overallText(document, look) : '';
  const findings = findingsText([...document.findings.values()].flat());
  return `${overall}${findings}${findings === '' ? '' : '\n'}${totalText(document, look)}`;
}

/** Formats findings, one per line. */
export function findingsText(findings: readonly Finding[]): string {
  return findings.map((one) => `${compactLine(one)}\n`).join('');
}

/**
 * Returns each measurement's number of sessions per verdict, followed by the vacuous measurements.
 */
function overallText({ overall }: MeasurementDocument, look: ResultLook): string {
  const rows = overall.map(({ name, verdict, text }) => {
    return `${NEST}${look.paint[verdict](markOf(verdict, look))} ${visible(name)}: ${text}\n`;
  });
  const vacuous = overall.flatMap(({ name, vacuity }) => {
    if (vacuity.length === 0) return [];
    const lines = vacuity.map((line) => `${NEST}${wrapAt(visible(line), look, NEST.length)}\n`);
    return [`${look.paint.bold(visible(name))} is vacuous:\n${lines.join('')}`];
  });
  const parts = [`${look.paint.bold('all sessions')}\n`, ...rows, '\n', ...vacuous];
  return `${parts.join('')}${vacuous.length > 0 ? '\n' : ''}`;
}

/** Returns the last line, with the number of measurements per verdict. */
function totalText({ sessions, counts }: MeasurementDocument, { paint }: ResultLook): string {
  const parts = counts.map(({ verdict, text }) => paint[verdict](text));
  const unread = sessions.filter((session) => session.unread !== undefined).length;
  if (unread > 0) parts.push(paint.failed(`${unread} not read`));
  const where = sessions.length === 1 ? '1 session' : `${sessions.length} sessions`;
  return `${parts.join(', ')} in ${where}\n`;
}
