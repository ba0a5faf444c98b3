import type { RuleMeta } from '../../diagnostics/index.js';
import { type CatalogMutator, formatRange, type Parameter } from '../../mutators/index.js';
import type { Entry } from '../../toml/index.js';
import { format } from '../../values/index.js';

/* What is told of things, in Markdown. */

export function describeRule({ id, severity, summary, why, action }: RuleMeta): string {
  return `**${id}** (${severity})\n\n${summary}\n\n${why}\n\n${action}`;
}

/** A key of a file. */
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
