import {
  applyIgnores,
  applyLevels,
  arrange,
  type Comment,
  type Finding,
  type IgnoreOptions,
  type Level,
  locate,
  mayIgnore,
  type RuleMeta,
  runRules,
  type Violation,
} from '../diagnostics/index.js';
import { check as checkExpression, comments, type Expression } from '../expression/index.js';
import type { Catalog } from '../mutators/model/index.js';
import { type DecodedSource, SourceFile } from '../source/index.js';
import { conform, isTable, readToml, type TomlDocument, type TomlPath } from '../toml/index.js';
import {
  constraintsOf,
  type Draft,
  type ExpressionSite,
  expressionsOf,
  hasCatalog,
  type ObjectiveRule,
  present,
} from './draft.js';
import { objectiveFormat } from './format.js';
import { catalogRules, lintRules, objectiveRules } from './rules/index.js';
import { formatRules } from './rules/keys.js';

/** What could be made of a file, and all findings, in no order. */
export interface Analysis {
  readonly findings: readonly Finding[];
  /** Absent when the file is not TOML, or a manifest. */
  readonly draft?: Draft;
  /** The expressions without syntax findings, and their paths. */
  readonly expressions: readonly { readonly path: TomlPath; readonly expression: Expression }[];
  /** Whether every value could be read: what is silenced would be missing from the typed model. */
  readonly complete: boolean;
}

/** The rules whose findings stand for a value that could not be read. */
const LEAVES_OUT: ReadonlySet<string> = new Set([
  ...['objective/missing-key', 'objective/wrong-type', 'objective/invalid-value'],
  ...[
    'objective/invalid-duration',
    'objective/invalid-range',
    'toml/encoding',
    'expression/syntax',
  ],
]);

const FORMAT_RULES: ReadonlySet<string> = new Set(formatRules.map(({ meta }) => meta.id));

/** How a project wants its objectives checked. */
export interface LintOptions {
  /** The mutators to hold the objective against; the `catalog/*` rules need it. */
  readonly catalog?: Catalog;
  /** Whether comments may silence findings; true when absent. */
  readonly inlineIgnores?: boolean;
  /** The wanted level of some rules, by id; the others have their own severity. */
  readonly levels?: ReadonlyMap<string, Level>;
}

/** Reads a file and runs all the rules over it. Never throws for what stands in the file. */
export function analyse(decoded: DecodedSource, options: LintOptions = {}): Analysis {
  const { source } = decoded;
  const { document, findings: unreadable } = readToml(decoded);
  const findings = [...unreadable];
  const report = (rule: RuleMeta, violation: Violation): void => {
    findings.push(locate(rule, violation, source));
  };
  if (document === undefined) return { findings, expressions: [], complete: false };
  const mistaken = mistakenManifest(document);
  if (mistaken !== undefined) {
    report((formatRules[0] as ObjectiveRule).meta, mistaken);
    return { findings, expressions: [], complete: false };
  }
  const { value, misfits } = conform(document, objectiveFormat);
  const objective = value.keys;
  const mutators = present(objective.mutator);
  const draft: Draft = {
    document,
    misfits,
    objective,
    mutators,
    constraints: mutators.flatMap(constraintsOf),
    measurements: present(objective.measurement),
    catalog: options.catalog,
  };
  runRules(objectiveRules, draft, report);
  if (hasCatalog(draft)) runRules(catalogRules, draft, report);
  // A blank `check` is no expression with a mistake: it is as good as missing, and reported so.
  const sites = expressionsOf(document).filter(
    ({ text, role }) => role === 'precondition' || text.trim() !== '',
  );
  const expressions: { path: TomlPath; expression: Expression }[] = [];
  for (const { path, text, role } of sites) {
    const place = () => document.embed(path);
    const { expression, findings: found } = checkExpression(text, { role, place });
    for (const finding of found) findings.push(finding);
    if (expression !== undefined) expressions.push({ path, expression });
  }
  const complete = !findings.some(({ rule }) => LEAVES_OUT.has(rule));
  const silenced =
    options.inlineIgnores === false || !mayIgnore(source)
      ? findings
      : applyIgnores(findings, commentsOf(document, sites), {
          rules: lintRules,
          couldNotRun: couldNotRun(draft, sites, expressions),
        });
  const levelled = options.levels ? applyLevels(silenced, options.levels) : silenced;
  return { findings: levelled, draft, expressions, complete };
}

/**
 * Whether a rule could not look at what it is about: what does not fit the
 * format is left out for all of them, mutators when there is no catalog, and
 * what the expression rules need of an expression that cannot be read.
 */
function couldNotRun(
  { document, catalog, misfits }: Draft,
  sites: readonly ExpressionSite[],
  readable: Analysis['expressions'],
): NonNullable<IgnoreOptions['couldNotRun']> {
  const read = new Set(readable.map(({ path }) => path));
  const broken = sites
    .filter(({ path }) => !read.has(path))
    .map(({ path }) => document.valueSpan(path));
  return (rule, scope) => {
    if (rule.startsWith('expression/')) {
      return broken.some(
        ({ start, end }) => scope === undefined || (start <= scope.end && scope.start <= end),
      );
    }
    if (rule.startsWith('catalog/') && catalog === undefined) return true;
    const onDraft = /^(catalog|objective)\//.test(rule) && !FORMAT_RULES.has(rule);
    return onDraft && misfits.length > 0;
  };
}

/** The comments of the file, and of the expressions in its strings. */
function commentsOf(document: TomlDocument, sites: readonly ExpressionSite[]): Comment[] {
  return [
    ...document.comments().map(({ span }) => ({ place: document.file, span })),
    ...sites.flatMap(({ path }) => {
      const place = document.embed(path);
      return comments(place.text).map((span) => ({ place, span }));
    }),
  ];
}

/**
 * Tells that a document is a manifest of mutators, where an objective is asked
 * for: the one mistake behind many findings.
 */
function mistakenManifest(document: TomlDocument): Violation | undefined {
  const { mutator } = document.root;
  if (document.has(['measurement']) || !Array.isArray(mutator)) return undefined;
  const index = mutator.findIndex((one) => isTable(one) && Object.hasOwn(one, 'actuator'));
  if (index === -1) return undefined;
  return {
    message: 'this is a manifest of mutators, not an objective',
    help: 'perturb mutators lint checks it; --mutators checks objectives against it',
    span: document.keySpan(['mutator', index, 'actuator']),
  };
}

/**
 * Checks an objective file and every trace expression in it.
 *
 * @param source the decoded file, as `decodeSource` gives it
 * @returns all findings, by place; none for a clean file
 */
export function lint(source: DecodedSource, options?: LintOptions): Finding[] {
  return arrange(analyse(source, options).findings);
}

/**
 * Checks the text of an objective file, as `lint` does its bytes.
 *
 * @param path the name to show; nothing is read
 * @param text with or without a BOM
 */
export function lintText(path: string, text: string, options?: LintOptions): Finding[] {
  const bom = text.startsWith('\ufeff');
  const source = new SourceFile(path, bom ? text.slice(1) : text, bom);
  return lint({ source, invalid: [] }, options);
}
