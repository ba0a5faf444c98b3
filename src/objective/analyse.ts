import { type Diagnostic, locate, type Problem } from '../diagnostics/index.js';
import { check as checkExpression, type Expression } from '../expression/index.js';
import type { DecodedSource } from '../source/index.js';
import { conform, readToml, type TomlDocument, type TomlPath } from '../toml/index.js';
import { type Draft, present } from './draft.js';
import { objectiveFormat } from './format.js';
import { objectiveRules } from './rules/index.js';
import { invalidValue } from './rules/invalid-value.js';
import { missingKey } from './rules/missing-key.js';
import { unknownKey } from './rules/unknown-key.js';
import { wrongType } from './rules/wrong-type.js';

/** What could be made of a file, and all findings, in no order. */
export interface Analysis {
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when the file is not TOML. */
  readonly draft?: Draft;
  /** The tree of each expression without syntax findings, by its path as JSON. */
  readonly expressions: ReadonlyMap<string, Expression>;
}

const byKind = {
  'missing-key': missingKey,
  'unknown-key': unknownKey,
  'wrong-type': wrongType,
  'invalid-value': invalidValue,
} as const;

/** Reads a file and runs all the rules over it. Never throws for what stands in the file. */
export function analyse(decoded: DecodedSource): Analysis {
  const diagnostics: Diagnostic[] = [];
  const expressions = new Map<string, Expression>();
  const report = (problem: Problem): void => void diagnostics.push(locate(problem, decoded.source));
  const { document, problems } = readToml(decoded);
  for (const problem of problems) report(problem);
  if (document === undefined) return { diagnostics, expressions };

  const conformed = conform(document, objectiveFormat);
  for (const problem of conformed.problems) report({ rule: byKind[problem.kind].meta, ...problem });
  const objective = conformed.value.keys;
  const draft: Draft = {
    document,
    objective,
    mutators: present(objective.mutator),
    measurements: present(objective.measurement),
  };
  for (const { meta, check } of objectiveRules) {
    for (const finding of check?.(draft) ?? []) report({ rule: meta, ...finding });
  }
  for (const site of expressionsOf(draft)) {
    const checked = checkSite(document, site, diagnostics);
    if (checked !== undefined) expressions.set(JSON.stringify(site.path), checked);
  }
  return { diagnostics, draft, expressions };
}

/** A string of the file that holds a trace expression. */
interface Site {
  readonly path: TomlPath;
  readonly text: string;
  readonly role: 'check' | 'precondition';
}

function expressionsOf({ objective, mutators, measurements }: Draft): Site[] {
  const constraints = objective.mutation_constraints;
  const site = (
    path: TomlPath,
    key: string,
    text: string | undefined,
    role: Site['role'],
  ): readonly Site[] => (text === undefined ? [] : [{ path: [...path, key], text, role }]);
  const precondition = 'mutation_precondition';
  return [
    ...site(
      ['mutation_constraints'],
      precondition,
      constraints?.keys.mutation_precondition,
      'precondition',
    ),
    ...mutators.flatMap(({ path, keys }) =>
      site(path, precondition, keys.mutation_precondition, 'precondition'),
    ),
    ...measurements.flatMap(({ path, keys }) => site(path, 'check', keys.check, 'check')),
  ];
}

function checkSite(
  document: TomlDocument,
  { path, text, role }: Site,
  diagnostics: Diagnostic[],
): Expression | undefined {
  const { expression, problems } = checkExpression(text, { role });
  if (problems.length > 0) {
    const embedded = document.embed(path);
    for (const problem of problems) diagnostics.push(locate(problem, embedded));
  }
  return expression;
}
