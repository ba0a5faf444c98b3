import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/config/index.js';
import { decodeSource } from '../../src/source/index.js';

/* When mutations begin and end, as [run.timing] says. */

function read(text: string) {
  const decoded = decodeSource('perturb.toml', Buffer.from(text));
  const { settings, findings } = readSettings(decoded, []);
  const shown = findings.map(({ rule, message, help, span, file, fix }) => {
    const marked = file.text.slice(span.start, span.end);
    const fixed = fix?.edits.map((edit) => edit.text).join();
    return [rule, marked, message, help, fixed].filter((one) => one !== undefined).join(' | ');
  });
  return { timing: settings.run.timing, findings: shown };
}

test('an onset and a duration for all mutators, and others for one', () => {
  expect(
    read(`[run.timing]
onset = ["0s", "10s"]
duration = "1500ms"
[run.timing.wind]
duration = ["1s", "5s"]
[run.timing."link@A"]
onset = "2s"
`),
  ).toEqual({
    findings: [],
    timing: {
      onset: { least: 0, most: 10_000 },
      duration: { least: 1_500, most: 1_500 },
      mutators: {
        wind: { duration: { least: 1_000, most: 5_000 } },
        'link@A': { onset: { least: 2_000, most: 2_000 } },
      },
    },
  });
  expect(read('[run]\nattempt_time = "3s"\n').timing).toBeUndefined();
});

test.each([
  [
    'onset = ["10s", "2s"]',
    'config/timing | ["10s", "2s"] | the lower bound "10s" is above the upper bound "2s" | write ["2s", "10s"] | ["2s", "10s"]',
  ],
  [
    'onset = ["0s", "1s", "2s"]',
    'config/timing | ["0s", "1s", "2s"] | "onset" has 3 values | write one duration, or [lowest, highest]',
  ],
  [
    'duration = ["0s", "2s"]',
    'config/timing | 0s | "0s" is zero | the duration must be more than zero',
  ],
  [
    'duration = "soon"',
    'config/timing | soon | expected a number, found "soon" | use numbers with units from large to small, such as "1h 30min"',
  ],
  ['onset = "2 seconds"', 'config/timing | seconds | unknown unit "seconds" | write "s" | 2s'],
  [
    'onset = "0.5ms"',
    'config/timing | "0.5ms" | "0.5ms" is not a whole number of milliseconds | round it to whole milliseconds',
  ],
  [
    'onset = 2',
    'config/wrong-type | 2 | expected a string or an array of strings, found an integer | put it in quotes: "2" | "2"',
  ],
  [
    'onset = []',
    'config/invalid-value | [] | "onset" must not be empty | write at least one string',
  ],
  ['onset = ""', 'config/invalid-value | "" | "onset" must not be empty'],
  [
    'onsett = "2s"',
    'config/unknown-key | onsett | unknown key "onsett" | did you mean "onset"? | onset',
  ],
  [
    'wind = { durtion = "2s" }',
    'config/unknown-key | durtion | unknown key "durtion" | did you mean "duration"? | duration',
  ],
  [
    'wind = { duration = ["2s", "1s"] }',
    'config/timing | ["2s", "1s"] | the lower bound "2s" is above the upper bound "1s" | write ["1s", "2s"] | ["1s", "2s"]',
  ],
])('[run.timing] %s', (line, finding) => {
  expect(read(`[run.timing]\n${line}\n`).findings).toEqual([finding]);
});

test('what is said of one mutator of any name is read', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const meant = ['onset', 'duration'].includes(name);
      const { timing, findings } = read(
        `[run.timing.${JSON.stringify(name).replaceAll('\u007f', '\\u007f')}]\nonset = "2s"\n`,
      );
      if (meant) expect(findings).toHaveLength(1);
      else
        expect([findings, Object.entries(timing?.mutators ?? {})]).toEqual([
          [],
          [[name, { onset: { least: 2_000, most: 2_000 } }]],
        ]);
    }),
  );
});
