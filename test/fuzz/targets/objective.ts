import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { applyFixes, type Finding } from '../../../src/diagnostics/index.js';
import { type Catalog, createCatalog, loadManifest } from '../../../src/mutators/index.js';
import {
  canonicalJson,
  EXAMPLE_MANIFEST,
  type LintOptions,
  lint,
  loadObjective,
  rules,
} from '../../../src/objective/index.js';
import { reporters } from '../../../src/reporters/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { toBytes } from '../bytes.js';
import { readCorpus } from '../corpus.js';
import { holdFindings } from '../findings.js';
import { hold, kindOf, type Target } from '../target.js';
import { TRACE_TOKENS } from './expression.js';
import { TOML_TOKENS } from './toml-tokens.js';

const KEYS = [
  ...['name', 'mutator', 'measurement', 'check', 'stopping_conditions', 'attempts', 'time'],
  ...['mutation_constraints', 'max_concurrent_mutations', 'mutation_precondition', 'probe'],
  ...['mutator_tags', 'param_constraints', 'range', 'enum_options', 'should_pass', 'checks'],
  ...['passing_measurements', 'failing_measurements', '"2h 30min"', '"10m"', '"1h -2s"', '"∞"'],
  ...['[[measurement]]\nname = "m"\ncheck = "', '[[mutator]]\nname = "simulation-wind"\n'],
  ...['[[mutator.param_constraints]]\nname = "speed"\n', '# perturb: ignore objective/no-match'],
  ...['# perturb: ignore-file ', '# perturb: ignore toml/syntax, ', '# perturb: ignore'],
];

const MANIFEST = 'fixtures/objective/catalog/bench.mutators.toml';
const MOST_ROUNDS = 10;
const IDS = new Set(rules.map(({ id }) => id));
const CONTEXT = { color: true, width: 80, directory: '/bench', root: '/bench' };

/** Objective files: linting, loading, fixing and showing any bytes. */
export function objectiveTarget(): Target {
  const catalog = createCatalog([
    ...mutatorsOf(readFileSync(MANIFEST)),
    ...mutatorsOf(Buffer.from(EXAMPLE_MANIFEST)),
  ]);
  return {
    name: 'objective',
    seeds: [
      ...readCorpus(['fixtures/objective'], '.objective.toml'),
      ...rules.flatMap(({ examples }) => Object.values(examples)),
    ],
    tokens: [...KEYS, ...TOML_TOKENS, ...TRACE_TOKENS],
    async run(input) {
      const bytes = toBytes(input);
      const traits: string[] = [];
      for (const options of [{}, { catalog, inlineIgnores: false }] as LintOptions[]) {
        const findings = holdLint(bytes, options);
        holdFixes(bytes, findings, options);
        holdLineEnds(input, findings, options);
        if (options.catalog !== undefined) await holdReports(findings);
        traits.push(...findings.map(({ rule, message }) => `${rule} ${kindOf(message)}`));
      }
      return traits;
    },
  };
}

function mutatorsOf(bytes: Uint8Array): Catalog['mutators'] {
  const { manifest } = loadManifest(decodeSource('', bytes));
  return manifest?.mutators.map((mutator) => ({ ...mutator, origin: 'bench.toml' })) ?? [];
}

function holdLint(bytes: Uint8Array, options: LintOptions): readonly Finding[] {
  const decoded = decodeSource('a.objective.toml', bytes);
  const { findings, objective } = loadObjective(decoded, options);
  holdFindings(decoded.source.text, findings);
  hold(
    findings.every(({ rule }) => IDS.has(rule)),
    'a finding of a rule that is not listed',
  );
  const again = lint(decodeSource('a.objective.toml', bytes), options);
  hold(isDeepStrictEqual(bare(again), bare(findings)), 'the findings of one file differ');
  const failed = findings.some(({ severity }) => severity === 'error');
  hold(!failed || objective === undefined, 'an objective in spite of an error');
  if (objective !== undefined) {
    const json = canonicalJson(objective);
    hold(typeof JSON.parse(json) === 'object', 'a canonical form that is no object');
  }
  return findings;
}

function bare(findings: readonly Finding[]) {
  return findings.map(({ file: _file, related, ...rest }) => ({
    ...rest,
    related: related?.map(({ message, span }) => ({ message, span })),
  }));
}

/** Makes the fixes until none is left, as `--fix` does. */
function holdFixes(bytes: Uint8Array, findings: readonly Finding[], options: LintOptions): void {
  const { source, invalid } = decodeSource('a.objective.toml', bytes);
  if (invalid.length > 0) return;
  const wasToml = isToml(findings);
  const wasRead = wasToml && !findings.some(({ rule }) => rule === 'expression/syntax');
  let { text } = source;
  let found = findings;
  for (let round = 0; ; round += 1) {
    const fixed = applyFixes(text, found);
    if (fixed === text) return;
    hold(round < MOST_ROUNDS, 'fixes come to no end');
    const made = found.filter(({ fix }) => fix !== undefined).map(({ message }) => kindOf(message));
    text = fixed;
    found = holdLint(Buffer.from(text), options);
    hold(!wasToml || isToml(found), `fixes make a file that is no TOML: ${made[0]}`);
    // What could not be read hides other mistakes, and a fix can bring them to light.
    const isWorse = wasRead && errorsIn(found) > errorsIn(findings);
    hold(!isWorse, `fixes make a new error: ${made[0]}`);
  }
}

/** Other line ends change nothing about the findings and the lines that they are on. */
function holdLineEnds(input: string, findings: readonly Finding[], options: LintOptions): void {
  if (input.includes('\r') || /\p{Cs}/u.test(input)) return;
  const other = holdLint(Buffer.from(input.replaceAll('\n', '\r\n')), options);
  const [before, after] = [findings.map(placeOf), other.map(placeOf)];
  const changed = before.find((place, index) => place !== after[index]) ?? after[before.length];
  hold(changed === undefined, `depends on the line ends: ${changed?.replace(/^.*? /, '')}`);
}

function placeOf({ file, span, rule, message }: Finding): string {
  const { line, column } = file.lines.position(span.start);
  return `${line}:${column} ${rule} ${kindOf(message)}`;
}

function isToml(findings: readonly Finding[]): boolean {
  return !findings.some(({ rule }) => rule === 'toml/syntax');
}

function errorsIn(findings: readonly Finding[]): number {
  return findings.filter(({ severity }) => severity === 'error').length;
}

async function holdReports(findings: readonly Finding[]): Promise<void> {
  const report = { findings, fileCount: 1, rules, version: '0.0.0' };
  for (const [name, render] of Object.entries(reporters)) {
    const text = await render(report, CONTEXT);
    const isWhole = text === '' || text.endsWith('\n');
    hold(isWhole, `the report ${name} does not end its last line`);
    if (['json', 'sarif', 'gitlab'].includes(name)) JSON.parse(text);
    // The pretty report is in colour.
    const hasControl = /(?![\n\t])\p{Cc}/u.test(text.replaceAll('\x1b', ''));
    hold(!hasControl, `a control character in the report ${name}`);
  }
}
