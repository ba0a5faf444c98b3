import { toXml, type XmlElement, xmlElement } from '../../reporters/index.js';
import { emptyReason, sidesText, undecidedLines } from './evaluation-text.js';
import { type Measured, outcomeOf, type SessionVerdict } from './measured.js';

/** JUnit XML: a suite for each session, a case for each measurement. Undecided is an error. */
export function verdictJunit(objective: string, verdicts: readonly SessionVerdict[]): string {
  const suites = verdicts.map((verdict) => {
    const { session, measurements, unread } = verdict;
    const cases =
      unread === undefined
        ? measurements.map((measured) => testCase(session, measured))
        : [unreadCase(session, unread)];
    return xmlElement('testsuite', { name: session, ...counts([verdict]) }, cases);
  });
  return toXml(xmlElement('testsuites', { name: objective, ...counts(verdicts) }, suites));
}

function counts(verdicts: readonly SessionVerdict[]) {
  const outcomes = verdicts.flatMap(({ measurements }) => measurements.map(outcomeOf));
  const unread = verdicts.filter((verdict) => verdict.unread !== undefined).length;
  return {
    tests: outcomes.length + unread,
    failures: outcomes.filter((outcome) => outcome === 'failed').length,
    errors: outcomes.filter((outcome) => outcome === 'undecided').length + unread,
  };
}

function unreadCase(session: string, unread: readonly string[]): XmlElement {
  const [message = ''] = unread;
  return xmlElement('testcase', { classname: session, name: 'the session can be read' }, [
    xmlElement('error', { type: 'unread', message }, unread.join('\n')),
  ]);
}

function testCase(classname: string, measured: Measured): XmlElement {
  const { name, evaluation, diagram } = measured;
  const outcome = outcomeOf(measured);
  const text = [...detail(measured), ...(diagram === undefined ? [] : ['', diagram])].join('\n');
  const [message = ''] = detail(measured);
  const said =
    outcome === 'passed'
      ? []
      : [
          outcome === 'failed'
            ? xmlElement('failure', { type: evaluation.status, message }, text)
            : xmlElement('error', { type: 'undecided', message }, text),
        ];
  return xmlElement('testcase', { classname, name }, said);
}

/** What came out, a line each, the decisive one first. */
function detail({ shouldPass, evaluation }: Measured): string[] {
  const { measures, status } = evaluation;
  const isWanted = (holds: boolean | undefined) => (shouldPass ? holds !== true : holds === true);
  const sorted = [...measures].sort(
    (a, b) => Number(isWanted(b.holds)) - Number(isWanted(a.holds)),
  );
  const lines = sorted.map(({ text, left, right }) => `${text}: ${sidesText(text, left, right)}`);
  const reason = emptyReason(evaluation);
  const binding = status === 'holds' ? 'there is a binding' : 'there is no binding';
  return [
    ...undecidedLines(evaluation),
    ...(measures.length === 0 && status !== 'undecided' ? [binding] : lines),
    ...(reason === undefined ? [] : [reason]),
  ];
}
