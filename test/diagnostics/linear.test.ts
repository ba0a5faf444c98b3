import { expect, test } from 'vitest';
import { decodeSource } from '../../src/source/index.js';
import { isLong } from '../long.js';
import { counted, MOST_GROWTH, stepsOf } from '../steps.js';

const { lint } = await counted<typeof import('../../src/objective/index.js')>(
  '../src/objective/index.js',
);

const COMMENTS = isLong ? 16_000 : 1_000;

const END = `[[measurement]]
name = "x"
check = "MATCH (a = 1) AS a"

[stopping_conditions]
attempts = 1
`;

/** The steps of linting a file with so many comments. */
function stepsFor(comments: number, text: (stack: string) => string): Promise<number> {
  const stack = '# perturb: ignore objective/unknown-key\n'.repeat(comments);
  return stepsOf(() => {
    const findings = lint(decodeSource('x.toml', Buffer.from(text(stack))));
    expect(findings.filter(({ rule }) => rule !== 'ignore/unused')).toEqual([]);
  });
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
])('the steps for comments %s are linear in their number', async (_name, text) => {
  const short = await stepsFor(COMMENTS, text);
  expect(await stepsFor(4 * COMMENTS, text)).toBeLessThan(MOST_GROWTH * short);
});
