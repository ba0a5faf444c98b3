import type { Evaluation } from '../evaluation/index.js';
import type { Session } from '../session/index.js';
import { all, element, table } from './markup.js';
import { figure, page, section } from './page.js';
import { evaluationTables } from './run-report.js';
import { spaceTime } from './space-time/diagram.js';

/** What an objective came to over recorded sessions. */
export interface MeasureReport {
  readonly objective: string;
  readonly sessions: readonly MeasuredSession[];
}

export interface MeasuredSession {
  readonly name: string;
  readonly session: Session;
  readonly measurements: readonly {
    readonly name: string;
    readonly shouldPass: boolean;
    readonly evaluation: Evaluation;
  }[];
}

/** The report of measurements over sessions, in the manner of that of a run. */
export function measureReport({ objective, sessions }: MeasureReport): string {
  const rows = sessions.flatMap(({ name: session, measurements }) =>
    measurements.map(({ name, shouldPass, evaluation }) => [
      name,
      session,
      shouldPass ? 'hold' : 'not hold',
      verdictOf(shouldPass, evaluation),
    ]),
  );
  const failed = sessions.flatMap(({ name: recorded, session, measurements }) =>
    measurements
      .filter(({ shouldPass, evaluation }) => verdictOf(shouldPass, evaluation) !== 'passed')
      .map(({ name, evaluation }) => {
        const [first] = evaluation.evidence;
        const picture = first && spaceTime(session, first);
        return all(
          element('h3', {}, `${name}, ${recorded}`),
          evaluation.undecided && element('p', {}, evaluation.undecided.reason),
          evaluationTables(evaluation),
          picture && figure(picture, 'The events of a binding, and how one led to the other.'),
        );
      }),
  );
  return page(
    objective,
    section(
      'Verdicts',
      table('Measurements', ['measurement', 'session', 'should', 'verdict'], rows),
    ),
    section('Evidence', failed),
  );
}

function verdictOf(shouldPass: boolean, { status }: Evaluation): string {
  if (status === 'undecided') return 'undecided';
  return (status === 'holds') === shouldPass ? 'passed' : 'failed';
}
