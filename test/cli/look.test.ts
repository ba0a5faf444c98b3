import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { fitHelp } from '../../src/cli/help/help-text.js';
import { main } from '../../src/cli/main.js';
import { allRules } from '../../src/cli/rules.js';
import {
  isAscii,
  supportsLinks,
  withKnownWidth,
  withWrappedLines,
} from '../../src/cli/runtime/io.js';
import type { Evaluation } from '../../src/evaluation/index.js';
import { lint, rules } from '../../src/objective/index.js';
import { reporters } from '../../src/reporters/index.js';
import { sessionText } from '../../src/reporters/results/measure-text.js';
import { resultLook } from '../../src/reporters/terminal/paint.js';
import { durationValue, measuredSession, sidesText } from '../../src/results/index.js';
import { decodeSource } from '../../src/source/index.js';
import { rulePageUrl } from '../../src/version.js';
import { perturb, WRONG } from './program.js';

const findings = lint(
  decodeSource('wind.objective.toml', Buffer.from(WRONG.replace('title', 'color'))),
);
const report = { findings, fileCount: 1, rules, version: '0.0.0' };
const look = { color: false, directory: '/', root: '/' };

test('texts are wrapped between words, under where they begin', async () => {
  expect(await reporters.pretty(report, { ...look, width: 60 })).toBe(
    `error[objective/unknown-key]: unknown key "color"
  ╭─ wind.objective.toml:1:1
1 │ color = "Wind"
  │ ^^^^^
2 │ name = "Wind"
  ╰─ help: expected one of "name", "mutation_constraints",
           "mutator", "measurement" or "stopping_conditions"

1 error in 1 file
`,
  );
});

/** An evaluation of measures, each with its left and right value. */
function measured(...measures: readonly [string, string, string][]): Evaluation {
  return {
    status: 'fails',
    measures: measures.map(([text, left, right]) => ({ text, left, right, holds: false })),
    labels: [],
    vacuous: false,
    evidence: [],
    method: 'join tree',
  };
}

test('a verdict is wrapped too, and a value has the unit of the duration beside it', () => {
  const evaluation = measured(
    ['mean(steer.time - telemetry.time) < 10ms', '31560000', '10000000'],
    ['max(steer.time - telemetry.time) < max(telemetry.time)', '5', '7'],
  );
  const name = 'The autopilot steers soon after telemetry that it gets over the link';
  const verdict = {
    name: 'a.jsonl',
    measurements: [
      { name, shouldPass: true, evaluation },
      { name: 'Short', shouldPass: true, evaluation: measured() },
    ],
  };
  const look = resultLook({ color: false, width: 60 });
  expect(sessionText(measuredSession(verdict), look)).toBe(`a.jsonl
  ✗ failed  The autopilot steers soon after telemetry that
            it gets over the link
      ✗ mean(steer.time - telemetry.time) < 10ms: 31.56ms
      ✗ max(steer.time - telemetry.time) <
        max(telemetry.time): 5 and 7
  ✗ failed  Short
      there is no binding
`);
});

test.each([
  ['max(a.x) < 10ms', '12000000', '10000000', '12ms'],
  ['max(a.x) < 1s', '1', '1000000000', '1ns'],
  ['max(a.x) < 9000us', '5800000', '9000000', '5.8ms'],
  ['max(a.x) < 1s', '5800000', '1000000000', '5.8ms'],
  ['max(a.x) < 1s', '-100000000', '1000000000', '-0.1s'],
  ['max(a.x) < 1s', '0', '1000000000', '0s'],
  ['max(a.x) < 2min', 'undefined', '120000000000', 'undefined'],
  ['max(a.x) < max(b.10ms)', '1', '2', undefined],
  ['max(a.x) < 5', '1', '5', undefined],
  ['max(a.x) < 5ms', '1', '5', undefined],
])('%s, being %s', (text, left, right, shown) => {
  expect(durationValue(text, left, right)).toBe(shown);
});

test.each([
  ['max(a.x) < 5', '1', '5', undefined, '1'],
  ['mean(b.time - a.time) < 50000000', '31560000.5', '50000000', 'duration', '31.5600005ms'],
  ['max(b.time - a.time) < 5s', '1500000000', '5000000000', 'duration', '1.5s'],
  ['max(b.latency) > min(d.latency)', '90000000000', '12500', 'duration', '1min 30s and 12.5us'],
  ['min(b.time - a.time) > 0', '-42', '0', 'duration', '-42ns'],
  ['max(b.time - a.time) > 0', 'undefined', '0', 'duration', 'undefined'],
  ['max(b.time) > 0', '1772443800000250000', '0', 'time', '2026-03-02T09:30:00.000250Z'],
  ['max(b.time - a.height) > 0', '42', '0', undefined, '42'],
] as const)('%s, being %s and %s, a %s: the values are %s', (text, left, right, unit, shown) => {
  expect(sidesText({ text, left, right, ...(unit && { unit }) })).toBe(shown);
});

const HELP_TEXT = `Usage: perturb objective lint [options] [paths...]

Options:
  --fix  a line of Commander's, which has its width already

It takes a sentence or two to say what this does. A line
goes on with the next one.
Exit codes: 0 done, 2 wrong usage or configuration.

Example:
  perturb objective lint 'bench/**/*.toml' --format github
`;

test('the prose of a help text is wrapped anew, and a long command goes on behind a backslash', () => {
  expect(fitHelp(HELP_TEXT, 80)).toBe(HELP_TEXT);
  expect(fitHelp(HELP_TEXT, 40)).toBe(`Usage: perturb objective lint [options]
[paths...]

Options:
  --fix  a line of Commander's, which has its width already

It takes a sentence or two to say what
this does. A line goes on with the next
one.
Exit codes: 0 done, 2 wrong usage or
configuration.

Example:
  perturb objective lint \\
    'bench/**/*.toml' --format github
`);
});

/** Runs a command in this process, on a terminal of that many columns; what it prints. */
async function printed(argv: readonly string[], columns: number): Promise<string> {
  let text = '';
  const stdout = { write: (more: string) => (text += more), isTTY: true, columns };
  const stdin = Readable.from([]);
  await main(argv, { stdin, stdout, stderr: stdout, env: {}, cwd: '/' });
  return text;
}

test('help names choices and defaults as they are typed', async () => {
  const text = await printed(['objective', 'run', '--help'], 200);
  expect(text).toContain(
    'report format; may be repeated (choices: pretty, json, junit, markdown, html; default: pretty)',
  );
  expect(text).toContain(
    'method for choosing mutation sets (choices: guided, pairwise, uniform; default: guided)',
  );
  expect(await printed(['serve', 'mutators', '--help'], 200)).toContain(
    'manifest with the mutators to serve (default: mutators.toml)',
  );
});

test('the list of rules is a line each where these fit, else the summary is below', async () => {
  const wide = (await printed(['rules'], 200)).trimEnd().split('\n');
  expect(wide).toHaveLength(allRules.length);
  const narrow = (await printed(['rules'], 60)).trimEnd().split('\n');
  expect(narrow.slice(0, 2)).toEqual([
    'toml/syntax                               error',
    '  the file is not valid TOML (fixable)',
  ]);
  expect(narrow.filter((line) => line.length > 60)).toEqual([]);
});

test('a dumb terminal gets ASCII', async () => {
  const { stdout } = await perturb(['objective', 'lint', '-'], {
    stdin: WRONG,
    env: { TERM: 'dumb' },
  });
  expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
  expect(stdout).toContain('  +- -:1:1\n1 | title = "Wind"\n  | ^^^^^\n');
});

test.each([
  [{}, false],
  [{ TERM: 'dumb', LANG: 'C.UTF-8' }, true],
  [{ LANG: 'en_GB.UTF-8' }, false],
  [{ LANG: 'C.utf8' }, false],
  [{ LANG: 'C' }, true],
  [{ LC_ALL: 'POSIX', LANG: 'C.UTF-8' }, true],
  [{ LC_ALL: '', LANG: 'C.UTF-8' }, false],
])('%j: ASCII alone is %s', (env, ascii) => {
  expect(isAscii(env as Record<string, string>)).toBe(ascii);
});

test.each([
  [{ TERM: 'xterm-256color' }, false],
  [{ VTE_VERSION: '7200' }, true],
  [{ VTE_VERSION: '4800' }, false],
  [{ TERM_PROGRAM: 'vscode' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'dumb', WT_SESSION: '1' }, false],
])('%j: links are %s', (env, links) => {
  const output = (isTTY: boolean) => ({ write: () => {}, isTTY });
  expect(supportsLinks(output(true), env as Record<string, string>)).toBe(links);
  expect(supportsLinks(output(false), env as Record<string, string>)).toBe(false);
});

test('the id of a rule leads to its page', async () => {
  const text = await reporters.pretty(report, { ...look, pageOf: rulePageUrl });
  const page = pathToFileURL('docs/rules/objective/unknown-key.md').href;
  expect(text).toContain(`\x1b]8;;${page}\x1b\\objective/unknown-key\x1b]8;;\x1b\\`);
  expect(rulePageUrl('objective/none')).toBeUndefined();
});

test('a terminal that does not know its width has none', () => {
  const write = () => {};
  expect(withKnownWidth({ write, isTTY: true, columns: 0 })).not.toHaveProperty('columns');
  const known = { write, isTTY: true, columns: 80 };
  expect(withKnownWidth(known)).toBe(known);
});

test('a finding keeps its rule and its message whole where the width is narrow', async () => {
  const text = await reporters.pretty(report, { ...look, width: 1 });
  expect(text.split('\n')[0]).toBe('error[objective/unknown-key]: unknown key');
});

test('what goes to stderr breaks between words on a terminal', () => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  withWrappedLines({ write, isTTY: true, columns: 20 }).write(
    'perturb: cannot read the file\n  with an indent of its own\nshort\n',
  );
  withWrappedLines({ write }).write('perturb: cannot read the file\n');
  expect(written).toEqual([
    'perturb: cannot read\nthe file\n  with an indent of\n  its own\nshort\n',
    'perturb: cannot read the file\n',
  ]);
});
