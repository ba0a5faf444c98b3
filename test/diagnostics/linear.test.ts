import { expect, test } from 'vitest';
import { lint } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { isLong } from '../long.js';

const END = `[[measurement]]
name = "x"
check = "MATCH (a = 1) AS a"

[stopping_conditions]
attempts = 1
`;

/** The processor's time for linting a file with so many comments, which a busy machine hardly lengthens. */
function timeOf(comments: number, text: (stack: string) => string): number {
  const stack = '# perturb: ignore objective/unknown-key\n'.repeat(comments);
  const source = decodeSource('x.toml', Buffer.from(text(stack)));
  const start = process.cpuUsage();
  const findings = lint(source);
  const time = process.cpuUsage(start).user;
  expect(findings.filter(({ rule }) => rule !== 'ignore/unused')).toEqual([]);
  return time;
}

test.each([
  ['above a mistake', (stack: string) => `name = "x"\n${stack}title = 1\n${END}`],
  ['above nothing', (stack: string) => `name = "x"\n${END}${stack}`],
  [
    'with empty lines between',
    (stack: string) => `name = "x"\n${stack.replaceAll('\n', '\n\n')}${END}`,
  ],
  [
    'for the file, each beside a mistake',
    (stack: string) => {
      let count = 0;
      const lines = stack.replace(
        /^# perturb: ignore/gm,
        (start) => `"${count++}" = 1 ${start}-file`,
      );
      return `name = "x"\n${lines}${END}`;
    },
  ],
])('the time for comments %s is linear in their number', (_name, text) => {
  timeOf(16_000, text);
  if (!isLong) return;
  const best = (comments: number) =>
    Math.min(...Array.from({ length: 3 }, () => timeOf(comments, text)));
  // Sixteen times as many would take 256 times as long if each looked through the others.
  expect(best(16_000) / best(1_000)).toBeLessThan(80);
});
