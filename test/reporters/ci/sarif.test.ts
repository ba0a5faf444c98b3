import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fc from 'fast-check';
import type { Log, Result, Run } from 'sarif';
import { describe, expect, it } from 'vitest';
import { fingerprints } from '../../../src/reporters/ci/annotations.js';
import { sarif, toArtifact } from '../../../src/reporters/ci/sarif.js';
import { SourceFile } from '../../../src/source/index.js';
import { findings, text } from '../arbitraries.js';
import { context, golden, sample } from '../sample.js';

const require = createRequire(import.meta.url);
// Its draft is 04. Apart from these two it uses only what means the same in draft 07.
const {
  id: _,
  $schema: __,
  ...schema
} = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
// One of its patterns is no Unicode expression.
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
formats.default(ajv);
const validate = ajv.compile(schema);

/** The run in a log that the schema accepts. */
function runOf(log: string): Run {
  const parsed = JSON.parse(log) as Log;
  validate(parsed);
  expect(validate.errors).toBe(null);
  return parsed.runs[0] as Run;
}

const resultsOf = (log: string) => runOf(log).results as Result[];

describe('sarif', () => {
  it('renders the sample', async () => {
    await expect(sarif(sample, context)).toMatchFileSnapshot(golden('sarif.json'));
    runOf(sarif(sample, context));
  });

  it('has the rules but no results for a clean run', () => {
    const { results, tool } = runOf(sarif({ ...sample, findings: [] }, context));
    expect(results).toEqual([]);
    expect(tool.driver.rules?.map(({ id }) => id)).toEqual(sample.rules.map(({ id }) => id));
  });

  it('names the rule of each result', () => {
    const { results, tool } = runOf(sarif(sample, context));
    expect(results?.map(({ ruleIndex }) => tool.driver.rules?.[ruleIndex as number]?.id)).toEqual(
      sample.findings.map(({ rule }) => rule),
    );
  });

  it('leads to each file', () => {
    const places = resultsOf(sarif(sample, context)).map(
      ({ locations }) => locations?.[0]?.physicalLocation?.artifactLocation,
    );
    expect(new Set(places.map((place) => JSON.stringify(place)))).toEqual(
      new Set(
        [
          { uri: '-', description: { text: 'Standard input.' } },
          { uri: 'file:///elsewhere/long.toml' },
          { uri: 'bench/objectives/crlf.toml', uriBaseId: '%SRCROOT%' },
          { uri: 'bench/objectives/wide%20caf%C3%A9%20100%25.toml', uriBaseId: '%SRCROOT%' },
          { uri: 'bench/objectives/wind.objective.toml', uriBaseId: '%SRCROOT%' },
        ].map((place) => JSON.stringify(place)),
      ),
    );
  });

  it.each(['/repo', '/repo/bench'])('gives a URI that leads back to any path, from %s', (root) => {
    fc.assert(
      fc.property(text, (name) => {
        const file = new SourceFile(`a/${name}.toml`, '');
        const { uri, uriBaseId } = toArtifact(file, { ...context, directory: '/repo', root });
        const base = uriBaseId === undefined ? '' : root;
        const { pathname } = new URL(uri as string, `file://${base}/`);
        expect(decodeURIComponent(pathname)).toBe(
          resolve('/repo', file.path).replace(/\p{Cs}/gu, '\ufffd'),
        );
      }),
    );
  });

  it('marks the characters of each finding, and of what a fix replaces', () => {
    const results = resultsOf(sarif(sample, context));
    for (const [index, { file, span, fix }] of sample.findings.entries()) {
      const start = file.lines.position(span.start);
      const end = file.lines.position(span.end);
      const region = {
        startLine: start.line,
        startColumn: start.column,
        endLine: end.line,
        endColumn: end.column,
        charOffset: span.start,
        charLength: span.end - span.start,
      };
      const { locations, fixes } = results[index] as Result;
      expect(locations?.[0]?.physicalLocation?.region).toEqual(region);
      expect(fixes).toEqual(
        fix && [
          {
            description: { text: fix.title },
            artifactChanges: [
              {
                artifactLocation: locations?.[0]?.physicalLocation?.artifactLocation,
                replacements: [
                  { deletedRegion: region, insertedContent: { text: fix.edits[0]?.text } },
                ],
              },
            ],
          },
        ],
      );
    }
  });

  it('is valid for any findings, and gives back their texts', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const report = { ...sample, findings: found };
        const marks = fingerprints(report, context);
        expect(
          resultsOf(sarif(report, context)).map((result) => ({
            level: result.level,
            text: result.message.text,
            related: result.relatedLocations?.map(({ id, message }) => [id, message?.text]),
            fingerprint: result.partialFingerprints,
          })),
        ).toEqual(
          found.map(({ severity, message, help, related }, index) => ({
            level: severity,
            text: help === undefined ? message : `${message}\n${help}`,
            related: related?.map((other, nth) => [nth + 1, other.message]),
            fingerprint: { 'perturb/v1': marks[index] },
          })),
        );
      }),
    );
  });
});
