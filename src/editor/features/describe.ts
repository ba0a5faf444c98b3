import type { RuleMeta } from '../../diagnostics/index.js';
import { FUNCTIONS } from '../../expression/index.js';
import { type CatalogMutator, formatRange, type Parameter } from '../../mutators/index.js';
import type { Entry } from '../../toml/index.js';
import { format } from '../../values/index.js';

/** What the clauses of an expression are for, by their keyword, in Markdown. */
export const CLAUSES: Readonly<Record<string, string>> = {
  MATCH: 'The patterns of events, each with a label: `(condition) AS label`.',
  AS: 'Names the event that a pattern matches.',
  WHEN: 'Keeps the bindings whose events happened in this order: `a -> b`.',
  FILTER: 'Keeps the bindings whose attributes satisfy a condition: `a.id = b.id`.',
  AGGREGATE: 'Compares what is computed over all bindings that are left: `count() > 0`.',
};

/** What a function of AGGREGATE computes, in Markdown. */
export function describeFunction(name: string): string | undefined {
  const known = FUNCTIONS.get(name);
  if (known === undefined) return undefined;
  const argument = known.argument === 'none' ? '' : 'label.attribute';
  return `\`${name}(${argument})\`: ${known.meaning}.`;
}

/* Descriptions in Markdown. */

export function describeRule({ id, severity, summary, why, action }: RuleMeta): string {
  return `**${id}** (${severity})\n\n${summary}\n\n${why}\n\n${action}`;
}

export function describeEntry({ description, required, ...entry }: Entry): string {
  return paragraphs([
    description,
    required && 'Required.',
    entry.default !== undefined && `Default: \`${JSON.stringify(entry.default)}\`.`,
    entry.example !== undefined && `Example: \`${JSON.stringify(entry.example)}\`.`,
  ]);
}

export function describeMutator(mutator: CatalogMutator): string {
  const { name, id, description, probe, operation, tags, parameters } = mutator;
  return paragraphs([
    `**${name ?? id}**${probe === undefined ? '' : ` at ${probe}`}`,
    description,
    operation && `Operation: ${operation}.`,
    tags.length > 0 && `Tags: ${tags.join(', ')}.`,
    parameters.map((parameter) => `- ${summarise(parameter)}`).join('\n'),
  ]);
}

/** A parameter with its options and its default. */
export function describeParameter(parameter: Parameter): string {
  const { description, options, default: otherwise } = parameter;
  return paragraphs([
    summarise(parameter),
    description,
    options && `Options: ${options.map((option) => `\`${option.name}\``).join(', ')}.`,
    otherwise && `Default: \`${format(otherwise)}\`.`,
  ]);
}

/** A parameter on one line: its type, its range, its units. */
function summarise({ name, type, units, hardRange }: Parameter): string {
  const range = hardRange && `, ${formatRange(hardRange)}`;
  return `\`${name}\`: ${type}${range ?? ''}${units === undefined ? '' : ` ${units}`}`;
}

function paragraphs(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join('\n\n');
}
