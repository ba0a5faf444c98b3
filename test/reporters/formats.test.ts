import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReporterName, reporters } from '../../src/reporters/index.js';
import { acting } from './acting.js';
import { findings } from './arbitraries.js';
import { context, sample } from './sample.js';

const names = Object.keys(reporters) as ReporterName[];

it('has every format', () => {
  expect(names, 'a new format is added to this list').toEqual([
    'pretty',
    'compact',
    'json',
    'sarif',
    'github',
    'gitlab',
    'junit',
    'markdown',
    'checkstyle',
  ]);
});

describe.each(names)('%s', (name) => {
  const render = async (found: typeof sample.findings) =>
    reporters[name]({ ...sample, findings: found }, context);

  it('writes whole lines, and nothing that acts on a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(findings, async (found) => {
        const output = await render(found);
        expect(output === '' || output.endsWith('\n')).toBe(true);
        expect(acting(output)).toEqual([]);
      }),
    );
  });

  it('gives the same for the same', async () => {
    expect(await render(sample.findings)).toBe(await render(sample.findings));
  });
});
