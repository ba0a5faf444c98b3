import {
  applyIgnores,
  applyLevels,
  arrange,
  type Comment,
  type Finding,
  type IgnoreOptions,
  type Level,
  mayContainIgnores,
  type RuleMeta,
  runRules,
  toFinding,
  type Violation,
  withoutHarmfulFixes,
} from '../diagnostics/index.js';
import {
  check as checkExpression,
  comments,
  isRuleEnabled,
  parse,
  type Recorded,
} from '../expression/index.js';
import type { Catalog } from '../mutators/model/index.js';
import { type DecodedSource, SourceFile, type Span } from '../source/index.js';
import {
  isTable,
  readToml,
  type TomlDocument,
  type TomlOutline,
  type TomlReading,
} from '../toml/index.js';
import {
  type CheckedExpression,
  conformObjective,
  constraintsOf,
  type ExpressionText,
  hasCatalog,
  type ObjectiveDraft,
  type ObjectiveRule,
  withoutGaps,
} from './draft.js';
import { objectiveFormat } from './format.js';
import { measurementMetadata, metadataIn, metadataOf } from './metadata.js';
import { catalogRules, lintRules, objectiveRules } from './rules/index.js';
import { formatRules } from './rules/keys.js';

/** A file's parsable parts, and all findings in no particular order. */
export interface Analysis {
  readonly findings: readonly Finding[];
  /** The draft; absent if the file is invalid TOML or a manifest. */
  readonly draft?: ObjectiveDraft;
  readonly expressions: ObjectiveDraft['expressions'];
  /**
   * True if every value could be parsed. Otherwise, the typed model may lack a value, even if a comment silences the
   * finding about the value.
   */
  readonly complete: boolean;
}

/** The rules that report unparsable values. */
const LEAVES_OUT: ReadonlySet<string> = new Set([
  ...['objective/missing-key', 'objective/wrong-type', 'objective/invalid-value'],
  ...['objective/invalid-duration', 'objective/invalid-range', 'toml/encoding'],
  'expression/syntax',
]);

const FORMAT_RULES: ReadonlySet<string> = new Set(formatRules.map(({ id }) => id));

/** A project's settings for checking objectives. */
export interface LintOptions {
  /** The mutators to check the objective against. The `catalog/*` rules need them. */
  readonly catalog?: Catalog;
  /** False to ignore comments that silence findings. */
  readonly inlineIgnores?: boolean;
  /** Configured levels by rule id. Other rules keep their default severity. */
  readonly levels?: ReadonlyMap<string, Level>;
  /** The contents of recorded sessions, from `recordedOf`. The `recorded/*` rules need them. */
  readonly recorded?: Recorded;
}

/** Runs all rules on a parsed file, and removes fixes that would add errors. Does not throw on invalid content. */
export function analyse(reading: TomlReading, options: LintOptions = {}): Analysis {
  const analysis = analyseOnce(reading, options);
  const { document } = reading;
  if (document === undefined) return analysis;
  const { text, path } = document.file;
  const findings = withoutHarmfulFixes(
    analysis.findings,
    text,
    // Fixes of these findings were already tried when each expression was checked.
    ({ rule }) => !/^(?:expression|recorded)\//.test(rule),
    (fixed) => {
      const source = new SourceFile(path, fixed);
      return analyseOnce(readToml({ source, invalid: [] }, objectiveFormat), options).findings;
    },
  );
  return { ...analysis, findings };
}

/** Analyses a parsed file like `analyse`, without trying fixes. */
function analyseOnce(
  { document, findings: unreadable }: TomlReading,
  options: LintOptions,
): Analysis {
  const findings = [...unreadable];
  if (document === undefined) return { findings, expressions: new Map(), complete: false };
  const source = document.file;
  const report = (rule: RuleMeta, violation: Violation): void => {
    findings.push(toFinding(rule, violation, source));
  };
  const manifestViolation = mistakenManifest(document);
  if (manifestViolation !== undefined) {
    report(formatRules[0] as ObjectiveRule, manifestViolation);
    return { findings, expressions: new Map(), complete: false };
  }
  const { value, misfits, lacks, texts } = conformObjective(document);
  const objective = value.keys;
  const mutators = withoutGaps(objective.mutator);
  const expressions = new Map<ExpressionText, CheckedExpression>();
  for (const embedded of texts) {
    const { path, text, role } = embedded;
    // A separate finding reports a blank `check` as missing, so syntax findings about it are omitted.
    if (role === 'check' && text.trim() === '') {
      expressions.set(embedded, { tree: parse(text).tree });
      continue;
    }
    const { findings: expressionFindings, ...checked } = checkExpression(text, {
      ...{ role, place: () => document.embed(path) },
      ...(options.levels && { levels: options.levels }),
      ...(options.recorded && { recorded: options.recorded }),
    });
    for (const finding of expressionFindings) findings.push(finding);
    expressions.set(embedded, checked);
  }
  const draft: ObjectiveDraft = {
    document,
    misfits,
    objective,
    mutators,
    constraints: mutators.flatMap(constraintsOf),
    measurements: withoutGaps(objective.measurement),
    expressions,
    metadata: metadataIn(document),
    catalog: options.catalog,
  };
  const empty = emptyFile(document);
  if (empty !== undefined) report(formatRules[0] as ObjectiveRule, empty);
  else runRules(objectiveRules, draft, report);
  if (hasCatalog(draft)) runRules(catalogRules, draft, report);
  const complete = !lacks && !findings.some(({ rule }) => LEAVES_OUT.has(rule));
  const silenced =
    options.inlineIgnores === false || !mayContainIgnores(source)
      ? findings
      : applyIgnores(findings, collectComments(draft), {
          rules: lintRules,
          couldNotRun: couldNotRun(draft, options),
        });
  const levelled = options.levels ? applyLevels(silenced, options.levels) : silenced;
  return { findings: attachMetadata(levelled, draft), draft, expressions, complete };
}

/** Adds metadata to each finding, from the finding's measurement or, if there is none, from the objective. */
function attachMetadata(
  findings: readonly Finding[],
  { document, metadata }: ObjectiveDraft,
): readonly Finding[] {
  if (metadata.length === 0 || findings.length === 0) return findings;
  const objectiveMetadata = metadataOf(metadata, 'objective');
  const measurements = measurementSpans(document).map((span, index) => ({
    span,
    metadata: measurementMetadata(metadata, index),
  }));
  return findings.map((finding) => {
    const { start } = finding.span;
    const enclosingMeasurement = measurements.find(
      ({ span }) => span.start <= start && start < span.end,
    );
    const ownMetadata =
      enclosingMeasurement === undefined ? objectiveMetadata : enclosingMeasurement.metadata;
    return ownMetadata === undefined ? finding : { ...finding, metadata: ownMetadata };
  });
}

function measurementSpans(document: TomlDocument): Span[] {
  const items = document.outline().entries?.get('measurement')?.items ?? [];
  return items.map(fullExtent);
}

/** Returns the span from a table's header to the end of its last value. */
function fullExtent({ value, entries, items = [] }: TomlOutline): Span {
  const innerEnds = [...(entries?.values() ?? []), ...items].map((node) => fullExtent(node).end);
  return { start: value.start, end: innerEnds.reduce((a, b) => Math.max(a, b), value.end) };
}

/**
 * Returns a function that returns true if a rule could not check its subject, because the rule is off, or because the
 * catalog, the sessions or the parsed expression is missing. In a file that does not fit the format, also returns true
 * for rules about objectives and catalogs, which may miss problems.
 */
function couldNotRun(
  { document, catalog, misfits, expressions }: ObjectiveDraft,
  { levels, recorded }: LintOptions,
): IgnoreOptions['couldNotRun'] {
  const brokenExpressions = [...expressions]
    .filter(([, { expression }]) => expression === undefined)
    .map(([{ path }]) => document.valueSpan(path));
  const disabledRules = new Set(
    lintRules.filter((rule) => !isRuleEnabled(rule, levels)).map(({ id }) => id),
  );
  return (rule, scope) => {
    if (disabledRules.has(rule)) return true;
    if (rule.startsWith('recorded/') && recorded === undefined) return true;
    if (/^(?:expression|recorded)\//.test(rule)) {
      return brokenExpressions.some(
        ({ start, end }) => scope === undefined || (start <= scope.end && scope.start <= end),
      );
    }
    if (rule.startsWith('catalog/') && catalog === undefined) return true;
    const onDraft = /^(catalog|objective)\//.test(rule) && !FORMAT_RULES.has(rule);
    return onDraft && misfits.length > 0;
  };
}

function collectComments({ document, expressions }: ObjectiveDraft): Comment[] {
  return [
    ...document.comments().map(({ span }) => ({ place: document.file, span })),
    ...[...expressions.keys()].flatMap(({ path }) => {
      const embeddedSource = document.embed(path);
      return comments(embeddedSource.text).map((span) => ({ place: embeddedSource, span }));
    }),
  ];
}

/** Reports a manifest used as an objective as one mistake, instead of many findings. */
function mistakenManifest(document: TomlDocument): Violation | undefined {
  const { mutator } = document.root;
  if (document.has(['measurement']) || !Array.isArray(mutator)) return undefined;
  const index = mutator.findIndex((table) => isTable(table) && Object.hasOwn(table, 'actuator'));
  if (index === -1) return undefined;
  return {
    message: 'expected an objective, found a mutator manifest',
    help: 'check the manifest with perturb mutators lint, or check objectives against it with --mutators',
    span: document.keySpan(['mutator', index, 'actuator']),
  };
}

/** Reports an empty file as one mistake, instead of one for each missing key. */
function emptyFile(document: TomlDocument): Violation | undefined {
  if (Object.keys(document.root).length > 0) return undefined;
  return {
    message: 'the file is empty',
    help: 'create an objective with perturb objective new',
    span: document.valueSpan([]),
  };
}

/**
 * Checks an objective file and every trace expression in it.
 *
 * @param source the decoded file, from `decodeSource`
 * @returns all findings, sorted by position; empty for a clean file
 */
export function lint(source: DecodedSource, options?: LintOptions): Finding[] {
  return arrange(analyse(readToml(source, objectiveFormat), options).findings);
}

/** Checks an objective file like `lint`. Returns the findings of each measurement, with the measurement's name. */
export function lintMeasurements(
  source: DecodedSource,
  options?: LintOptions,
): { readonly name: string; readonly findings: readonly Finding[] }[] {
  const { findings, draft } = analyse(readToml(source, objectiveFormat), options);
  if (draft === undefined) return [];
  const arranged = arrange(findings);
  const spans = measurementSpans(draft.document);
  return draft.measurements.flatMap(({ path, keys: { name } }) => {
    const span = spans[path.at(-1) as number];
    if (name === undefined || span === undefined) return [];
    const isInside = ({ span: { start } }: Finding) => span.start <= start && start < span.end;
    return [{ name, findings: arranged.filter(isInside) }];
  });
}

/**
 * Checks an objective file's text, like `lint`.
 *
 * @param path the display name; no file is read
 * @param text with or without a BOM
 */
export function lintText(path: string, text: string, options?: LintOptions): Finding[] {
  const bom = text.startsWith('\ufeff');
  const source = new SourceFile(path, bom ? text.slice(1) : text, bom);
  return lint({ source, invalid: [] }, options);
}
