import { escapeMarkdown, inlineCode } from '../../basics/index.js';
import type { RuleMeta } from '../../diagnostics/index.js';
import { FORMS, FUNCTIONS, functionUsage } from '../../expression/index.js';
import { type CatalogMutator, formatRange, type Parameter } from '../../mutators/index.js';
import type { Entry } from '../../toml/index.js';
import { format } from '../../values/index.js';

/** Descriptions of an expression's clauses, by keyword, in Markdown. */
export const CLAUSES: Readonly<Record<string, string>> = {
  MATCH: 'Event patterns, each with a label: `(condition) AS label`.',
  AS: 'Names the event that a pattern matches.',
  WHEN: 'Keeps the bindings whose events happened in this order: `a -> b`.',
  FILTER: 'Keeps the bindings whose attributes satisfy a condition: `a.id = b.id`.',
  AGGREGATE: 'Compares values computed over all remaining bindings: `count() > 0`.',
  NOT: "Negates a condition; before a pattern, requires that no such event exists: `NOT (name = 'reply') AS r`.",
  '->': 'The first happened before the second: `a -> b`.',
  '@': "An event at a probe, `HEARTBEAT @ AUTOPILOT`, or an attribute of that probe's events: `load @ AUTOPILOT > 3`.",
  '%': 'Number or share of groups that must satisfy the measures: `FOR 95%`.',
  NEXT: 'No other event that matches the later label lies between the two events: `a -> NEXT b`.',
  WITHIN: 'Maximum time from the first label to the last: `a -> b WITHIN 100ms`.',
  '||': 'Two concurrent events: neither happened before the other, as in `a || b`.',
  IN: 'One of these values: `status IN (200, 204)`.',
  GLOB: 'Matches a pattern: `*` for any characters, `?` for one character, `[a-z]` for one character from a set.',
  EXISTS: '`exists(attribute)`: the event has the attribute.',
  ABS: '`abs(value)`: the absolute value.',
  LOWER: '`lower(attribute)`: the text in lower case.',
  SHARE: describeForm('share'),
  BASELINE: describeForm('baseline'),
  BY: 'Measures each event, value or time window separately: `BY label`, `BY label.attribute`, `BY window(label.time, 1s)`.',
  HAVING: 'Selects the groups to judge: `BY a.route HAVING count() >= 20`.',
  FOR: 'Number or share of groups that must satisfy the measures: `BY label FOR 95%`.',
  WINDOW: '`window(label.time, 1s)`: each second of the session separately.',
};

function describeForm(name: string): string {
  const { usage = name, meaning = '' } = FORMS.get(name) ?? {};
  return `\`${usage}\`: ${meaning}.`;
}

/** Describes an AGGREGATE function in Markdown. */
export function describeFunction(name: string): string | undefined {
  const definition = FUNCTIONS.get(name);
  if (definition === undefined) return undefined;
  return `\`${functionUsage(definition)}\`: ${definition.meaning}.`;
}

/* Descriptions in Markdown. */

export function describeRule({ id, severity, summary, why, action }: RuleMeta): string {
  return `**${id}** (${severity})\n\n${summary}\n\n${why}\n\n${action}`;
}

export function describeEntry({ description, required, ...entry }: Entry): string {
  return paragraphs([
    description,
    required && 'Required.',
    entry.default !== undefined && `Default: ${inlineCode(JSON.stringify(entry.default))}.`,
    entry.example !== undefined && `Example: ${inlineCode(JSON.stringify(entry.example))}.`,
  ]);
}

export function describeMutator(mutator: CatalogMutator): string {
  const { name, id, description, probe, operation, tags, parameters } = mutator;
  return paragraphs([
    `**${escapeMarkdown(name ?? id)}**${probe === undefined ? '' : ` at ${escapeMarkdown(probe)}`}`,
    description && escapeMarkdown(description),
    operation && `Operation: ${escapeMarkdown(operation)}.`,
    tags.length > 0 && `Tags: ${tags.map(escapeMarkdown).join(', ')}.`,
    parameters.map((parameter) => `- ${summarise(parameter)}`).join('\n'),
  ]);
}

/** Describes a parameter with its options and its default. */
export function describeParameter(parameter: Parameter): string {
  const { description, options, default: otherwise } = parameter;
  return paragraphs([
    summarise(parameter),
    description && escapeMarkdown(description),
    options && `Options: ${options.map((option) => inlineCode(option.name)).join(', ')}.`,
    otherwise && `Default: ${inlineCode(format(otherwise))}.`,
  ]);
}

/** Summarizes a parameter on one line: its type, range and units. */
function summarise({ name, type, units, hardRange }: Parameter): string {
  const range = hardRange && `, ${formatRange(hardRange)}`;
  return `${inlineCode(name)}: ${type}${range ?? ''}${units === undefined ? '' : ` ${escapeMarkdown(units)}`}`;
}

function paragraphs(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join('\n\n');
}
