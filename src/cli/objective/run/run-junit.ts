import { toXml, type XmlElement, xmlElement } from '../../../reporters/index.js';
import { type DoneAttempt, hasPassed, type RunState, tally } from '../../../runner/index.js';
import { planText } from './preview.js';

/** A run as JUnit XML: an attempt is a test case. */
export function runToJunit(state: RunState): string {
  const { run, attempts } = state;
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const name = run?.objective.name ?? 'objective';
  const { failed, skipped, inconclusive } = tally(state);
  const counted = {
    name,
    tests: own.length,
    failures: failed,
    errors: inconclusive,
    time: (state.elapsed / 1_000).toFixed(3),
  };
  const suite = xmlElement(
    'testsuite',
    // The schema that most readers follow has no `skipped` for all suites together.
    { ...counted, skipped },
    own.map((one) => testCase(name, one)),
  );
  return toXml(xmlElement('testsuites', counted, [suite]));
}

function testCase(classname: string, { n, plan, result }: DoneAttempt): XmlElement {
  const attributes = {
    classname,
    // Readers recognize a case by its name.
    name: `attempt ${n}: ${planText(plan)}`,
    time: (result.ms / 1_000).toFixed(3),
  };
  const reasons = result.reasons.join('\n');
  switch (result.outcome) {
    case 'passed':
      return xmlElement('testcase', attributes);
    case 'skipped':
      return xmlElement('testcase', attributes, [xmlElement('skipped', { message: reasons })]);
    case 'inconclusive':
      return xmlElement('testcase', attributes, [
        xmlElement('error', { type: 'inconclusive', message: reasons }, planText(plan)),
      ]);
    case 'failed': {
      const failed = result.measurements.filter((one) => hasPassed(one) === false);
      const message = failed
        .map(({ name, shouldPass }) => `${name} ${shouldPass ? 'fails' : 'holds, and should not'}`)
        .join('; ');
      return xmlElement('testcase', attributes, [
        xmlElement('failure', { type: 'measurement', message }, planText(plan)),
      ]);
    }
  }
}
