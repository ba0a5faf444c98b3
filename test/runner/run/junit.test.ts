import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { plural } from '../../../src/basics/index.js';
import { renderRunReport } from '../../../src/report/index.js';
import { formatJunit } from '../../../src/reporters/index.js';
import { runToJson, testsOfRun } from '../../../src/reporters/results/index.js';
import { runDocument, runReportDocument } from '../../../src/results/index.js';
import { sampleReport } from '../../report/sample.js';

/* The attributes and elements that the schema of Jenkins has, which most readers go by. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  testsuites: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'],
  testsuite: ['name', 'tests', 'failures', 'errors', 'time', 'disabled', 'skipped', 'timestamp'],
  testcase: ['name', 'assertions', 'time', 'classname', 'status'],
  skipped: ['message', 'type'],
  error: ['message', 'type'],
  failure: ['message', 'type'],
};

type Xml = readonly { readonly ':@'?: Record<string, string>; readonly [name: string]: unknown }[];

/** Each element with its attributes, in order. */
function elementsOf(xml: Xml): readonly (readonly [string, Record<string, string>])[] {
  return xml.flatMap((one) => {
    const name = Object.keys(one).find((key) => key !== ':@') as string;
    if (name.startsWith('#') || name.startsWith('?')) return [];
    return [[name, one[':@'] ?? {}] as const, ...elementsOf(one[name] as Xml)];
  });
}

test('a run of every outcome is JUnit as readers know it, and its counts are right', async () => {
  const end = { step: 'end', reason: 'attempts' } as const;
  const { state, ...result } = sampleReport();
  const text = await formatJunit(testsOfRun(runDocument({ ...result, state: { ...state, end } })));
  expect(XMLValidator.validate(text)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    preserveOrder: true,
  });
  const elements = elementsOf(parser.parse(text));
  for (const [name, attributes] of elements) {
    expect(Object.keys(ATTRIBUTES)).toContain(name);
    for (const attribute of Object.keys(attributes)) expect(ATTRIBUTES[name]).toContain(attribute);
  }
  const count = (wanted: string) => elements.filter(([name]) => name === wanted).length;
  const [suites, suite] = elements.map(([, attributes]) => attributes);
  expect(suite).toEqual({
    name: 'hold <position>',
    tests: '45',
    failures: '4',
    errors: '1',
    skipped: '1',
    time: '4.500',
  });
  expect(suites).toEqual({ ...suite, skipped: undefined });
  expect(['testcase', 'failure', 'error', 'skipped'].map(count)).toEqual([45, 4, 1, 1]);
  const names = elements.flatMap(([name, { name: own }]) => (name === 'testcase' ? [own] : []));
  expect(new Set(names).size).toBe(45);
});

test('of several baselines, the one that ended the run fails, and what could not be judged is skipped', () => {
  const { state, ...result } = sampleReport();
  const [made] = state.attempts;
  if (made === undefined) throw new Error('the sample has no attempt');
  const baseline = (n: number, outcome: 'passed' | 'inconclusive' | 'failed') => ({
    ...{ n, baseline: true, plan: [] },
    result: { ...made.result, outcome, reasons: ['no event arrived'] },
  });
  const baselines = [baseline(1, 'passed'), baseline(2, 'inconclusive'), baseline(3, 'failed')];
  const end = { step: 'end', reason: 'baseline', detail: 'low failed' } as const;
  const own = { ...state, attempts: [], baselines, end };
  const { suites } = testsOfRun(runDocument({ ...result, state: own }));
  expect(suites[0]?.cases.map(({ outcome }) => outcome?.kind)).toEqual([
    undefined,
    'skipped',
    'failure',
  ]);
});

test.each([
  [{ reason: 'attempts' }, 'passed', undefined],
  [{ reason: 'interrupted', detail: 'SIGTERM' }, 'passed', 'interrupted (SIGTERM)'],
  [
    { reason: 'reset-failed', detail: 'wind: 500' },
    'passed',
    'a mutator could not be reset (wind: 500)',
  ],
  [{ reason: 'time' }, 'skipped', 'time limit reached'],
  [undefined, 'passed', 'the run has not ended yet'],
] as const)(
  'a run that came to no verdict is an error, and green nowhere: %j',
  (ended, outcome, why) => {
    const { state, ...result } = sampleReport();
    const attempts = state.attempts.filter((one) => one.result.outcome === outcome);
    const end = ended && { end: { step: 'end', ...ended } as const };
    const own = { ...state, attempts, baselines: [], ...end };
    const cases = testsOfRun(runDocument({ ...result, state: own })).suites[0]?.cases.slice(
      attempts.length,
    );
    const error = { kind: 'error', type: ended?.reason ?? 'not-ended', message: why };
    expect(cases?.map((one) => [one.name, one.outcome])).toEqual(
      why === undefined ? [] : [['the run reaches a verdict', error]],
    );
    const html = renderRunReport(runReportDocument({ ...result, state: own }));
    const passed = `othing failed in ${plural(attempts.length, 'attempt')}`;
    const headline =
      why === undefined
        ? `N${passed}`
        : outcome === 'passed'
          ? `Undecided: ${why}; n${passed}`
          : 'No attempt came to a verdict';
    expect(html.split(`>${headline}`)).toHaveLength(2);
  },
);

test('what was shrunk for another reason than a measurement names none in JSON', () => {
  const { state, ...result } = sampleReport();
  const [one] = state.shrunkSets;
  if (one === undefined) throw new Error('the sample has nothing shrunk');
  const shrunk = ['', '\n', 'low'].map((cause) => ({ ...one, cause }));
  const found = runToJson({ ...result, state: { ...state, shrunkSets: shrunk } });
  expect(found).toMatchObject({
    shrunk: [{ measurement: undefined }, { measurement: undefined }, { measurement: 'low' }],
  });
});
