import { plural } from '../basics/index.js';
import { marginIn } from '../runner/index.js';
import { evaluationPart } from './evaluation-part.js';
import { type Headline, inSeries, sentence, subjectOf } from './headline.js';
import {
  type MeasuredObjective,
  measuredVerdict,
  type ObjectiveResult,
  type SessionResult,
  type Verdict,
} from './measured.js';
import { marginText } from './rates.js';
import { worstShortfall } from './shortfall.js';
import { vacuities } from './vacuity.js';

/** A measurement's results in all readable sessions. */
interface Row {
  readonly name: string;
  readonly results: readonly Result[];
}

interface Result {
  readonly session: string;
  readonly measured: MeasuredObjective;
  readonly verdict: Verdict;
}

/**
 * Returns an objective's result on sessions in a sentence, such as `"No late lookups" failed:
 * max(lookup.seq) was 248, wanted below 240.`
 */
export function measurementHeadlineOf({ sessions, failVacuous }: ObjectiveResult): Headline {
  const read = sessions.filter(({ unread }) => unread === undefined);
  const rows = rowsOf(read);
  const failed = rowsWith(rows, 'failed');
  const undecided = rowsWith(rows, 'undecided');
  const [main] = failed;
  const unreadText = unreadOf(sessions.length - read.length, sessions.length);
  const empty = emptyText(read);
  if (main !== undefined) {
    const also = alsoText(failed, 'failed too');
    const text = sentence([...empty, failureText(main, read.length)].join('; '));
    const more = [also, unreadText].flatMap((one) => (one === undefined ? [] : [sentence(one)]));
    return { verdict: 'failed', text: [text, ...more].join(' ') };
  }
  const vacuous = vacuities(read).map(({ name }) => subjectOf(name));
  const vacuousText = `${namesOrCount(vacuous, 'measurements')} ${vacuous.length === 1 ? 'is' : 'are'} vacuous`;
  if (vacuous.length > 0 && failVacuous === true) {
    return { verdict: 'failed', text: `Failed because ${vacuousText}.` };
  }
  if (read.length === 0)
    return { verdict: 'undecided', text: sentence(unreadText ?? 'nothing was measured') };
  const [unclear] = undecided;
  const where = read.length === 1 ? '' : ` in ${plural(read.length, 'session')}`;
  const parts = [
    ...empty,
    ...(unreadText === undefined ? [] : [unreadText]),
    ...(unclear === undefined
      ? [`${passedText(rows)}${where}`, ...closestParts(rows)]
      : [undecidedText(unclear, read.length), `nothing failed${where}`]),
    ...(vacuous.length === 0 ? [] : [vacuousText]),
  ];
  const also = alsoText(undecided, 'undecided too', 'is', 'are');
  const text = [parts.join('; '), ...(also === undefined ? [] : [also])].map(sentence).join(' ');
  const isPassed = unclear === undefined && unreadText === undefined;
  return { verdict: isPassed ? 'passed' : 'undecided', text };
}

function rowsOf(read: readonly SessionResult[]): Row[] {
  return (read[0]?.measurements ?? []).map(({ name }, at) => ({
    name,
    results: read.map(({ name: session, measurements }) => {
      const measured = measurements[at] as MeasuredObjective;
      return { session, measured, verdict: measuredVerdict(measured) };
    }),
  }));
}

/**
 * Returns rows reduced to the results with a verdict, without empty rows. Rows with the most
 * results come first.
 */
function rowsWith(rows: readonly Row[], verdict: Verdict): Row[] {
  return rows
    .map((row) => ({ ...row, results: row.results.filter((one) => one.verdict === verdict) }))
    .filter(({ results }) => results.length > 0)
    .sort((a, b) => b.results.length - a.results.length);
}

/** Maximum number of names to list. If there are more, the text contains only their number. */
const MOST_NAMES = 3;

function namesOrCount(names: readonly string[], what: string): string {
  return names.length > MOST_NAMES ? `${names.length} ${what}` : inSeries(names);
}

/** Returns a text on all measurements but the first; undefined if there are no others. */
function alsoText(
  [, ...others]: readonly Row[],
  what: string,
  single = '',
  several = '',
): string | undefined {
  if (others.length === 0) return undefined;
  const names = namesOrCount(
    others.map(({ name }) => subjectOf(name)),
    'other measurements',
  );
  return [names, others.length === 1 ? single : several, what].filter(Boolean).join(' ');
}

function unreadOf(count: number, all: number): string | undefined {
  if (count === 0) return undefined;
  if (all === 1) return 'the session could not be read';
  return `${count === all ? 'none' : count} of ${all} sessions could ${count === all ? '' : 'not '}be read`;
}

function emptyText(read: readonly SessionResult[]): string[] {
  if (read.length === 0 || !read.every(({ events }) => events === 0)) return [];
  return [read.length === 1 ? 'the session has no events' : 'none of the sessions has events'];
}

function failureText({ name, results }: Row, count: number): string {
  const worst = worstShortfall(
    results.map(({ measured: { shouldPass, evaluation } }) => {
      const margin = marginIn(evaluation, shouldPass);
      return { shouldPass, details: evaluation, ...(margin !== undefined && { margin }) };
    }),
    results[0]?.measured.asked,
  );
  const shown = results[worst?.at ?? 0] as Result;
  const why = worst?.text ?? reasonText(shown);
  const subject = subjectOf(name);
  if (count === 1) return `${subject} failed${why === undefined ? '' : `: ${why}`}`;
  const failed = `${subject} failed in ${results.length} of ${count} sessions`;
  if (why === undefined) return failed;
  const which = results.length === 1 ? '' : worst === undefined ? 'for example, ' : 'at worst, ';
  return `${failed}; ${which}in ${shown.session}, ${why}`;
}

/** Returns the reason for a failure without a measured shortfall. */
function reasonText({ measured: { shouldPass, evaluation } }: Result): string | undefined {
  return shouldPass ? evaluationPart(evaluation).noBinding : 'it holds, but should not';
}

function undecidedText({ name, results }: Row, count: number): string {
  const { clause, reason } = results[0]?.measured.evaluation.undecided ?? {};
  const where = count === 1 ? '' : ` in ${results.length} of ${count} sessions`;
  const why = reason === undefined ? '' : ` (${clause}: ${reason})`;
  return `${subjectOf(name)} is undecided${where}${why}`;
}

function passedText(rows: readonly Row[]): string {
  const [row] = rows;
  if (row === undefined) return 'nothing was measured';
  if (rows.length === 1) return `${subjectOf(row.name)} passed`;
  return `${rows.length === 2 ? 'both' : `all ${rows.length}`} measurements passed`;
}

/**
 * Describes the result with the smallest margin. Ignores margins of 0 and 1, which do not express a
 * distance.
 */
function closestParts(rows: readonly Row[]): string[] {
  const known = rows.flatMap(({ name, results }) =>
    results.flatMap(({ session, measured: { shouldPass, evaluation } }) => {
      const margin = marginIn(evaluation, shouldPass);
      const isDegree = margin !== undefined && margin > 0 && margin < 1 && !evaluation.vacuous;
      return isDegree ? [{ name, session, margin, shouldPass, details: evaluation }] : [];
    }),
  );
  const [least] = known.sort((a, b) => a.margin - b.margin);
  if (least === undefined) return [];
  const where = rows[0]?.results.length === 1 ? '' : `, in ${least.session}`;
  const what =
    rows.length === 1 ? 'closest to failing' : `${subjectOf(least.name)} came closest to failing`;
  return [`${what}${where}: ${marginText(least)}`];
}
