import { type Hover, MarkupKind } from 'vscode-languageserver/node';
import type { RuleMeta } from '../../diagnostics/index.js';
import { lex, parse } from '../../expression/index.js';
import {
  type CatalogMutator,
  format,
  formatRange,
  mutatorsNamed,
  type Parameter,
} from '../../mutators/index.js';
import type { Span } from '../../source/index.js';
import type { TomlPath, TomlTable, TomlValue } from '../../toml/index.js';
import { type ExpressionString, nameAt, siteAt } from '../expression-sites.js';
import { CLAUSES, FUNCTIONS } from '../expression-words.js';
import { entryAt, placeAt } from '../toml-place.js';
import { contains, rangeOf, type View } from '../view.js';

/** What is known of the place at an offset: a key, a label, a function, a mutator, a rule. */
export function hoverAt(view: View, offset: number): Hover | undefined {
  const rule = ruleAt(view, offset);
  if (rule !== undefined) return rule;
  const site = siteAt(view.snapshot, offset);
  return site === undefined ? hoverToml(view, offset) : hoverExpression(view, site, offset);
}

function hover(view: View, span: Span, markdown: string): Hover {
  return {
    contents: { kind: MarkupKind.Markdown, value: markdown },
    range: rangeOf(view, span),
  };
}

/** The id of a rule, as a comment or perturb.toml names it. */
function ruleAt(view: View, offset: number): Hover | undefined {
  const { text } = view.snapshot.file;
  let [start, end] = [offset, offset];
  while (/[\w/-]/.test(text.charAt(start - 1))) start -= 1;
  while (/[\w/-]/.test(text.charAt(end))) end += 1;
  const rule = view.rules.find(({ id }) => id === text.slice(start, end));
  return rule && hover(view, { start, end }, describeRule(rule));
}

function describeRule({ id, severity, summary, why, action }: RuleMeta): string {
  return `**${id}** (${severity})\n\n${summary}\n\n${why}\n\n${action}`;
}

function hoverExpression(view: View, site: ExpressionString, offset: number): Hover | undefined {
  const { source } = site;
  const { text } = source;
  const name = nameAt(site, offset);
  if (name?.role === 'label') {
    const pattern = parse(text).tree.match?.patterns.find(({ label }) => label.text === name.text);
    if (pattern === undefined) return undefined;
    const { start, end } = pattern.span;
    return hover(view, source.toFile(name.span), fenced(text.slice(start, end)));
  }
  if (name?.role === 'function') {
    const description = FUNCTIONS[name.text];
    return description === undefined
      ? undefined
      : hover(view, source.toFile(name.span), description);
  }
  const token = lex(text).tokens.find((one) => contains(source.toFile(one), offset));
  const clause = CLAUSES[token?.type ?? ''];
  if (token === undefined || clause === undefined) return undefined;
  return hover(view, source.toFile(token), clause);
}

function fenced(code: string): string {
  return `\`\`\`trace\n${code}\n\`\`\``;
}

function hoverToml(view: View, offset: number): Hover | undefined {
  const { document, kind } = view.snapshot;
  const place = document && placeAt(document, offset);
  if (document === undefined || place === undefined) return undefined;
  if (place.part === 'value' && kind === 'objective') {
    const known = describeMutation(view, document.root, place.path);
    return known ? hover(view, place.span, known) : undefined;
  }
  const entry = entryAt(kind, place.path);
  if (entry === undefined || place.part !== 'key') return undefined;
  const facts = [
    entry.required && 'Required.',
    entry.default !== undefined && `Default: \`${JSON.stringify(entry.default)}\`.`,
    entry.example !== undefined && `Example: \`${JSON.stringify(entry.example)}\`.`,
  ].filter((fact) => typeof fact === 'string');
  return hover(view, place.span, [entry.description, ...facts].join('\n\n'));
}

/** What the catalog says of the mutator or the parameter that an objective names. */
function describeMutation({ catalog }: View, root: TomlTable, path: TomlPath): string | undefined {
  const [array, index, key, ...rest] = path;
  if (catalog === undefined || array !== 'mutator' || typeof index !== 'number') return undefined;
  const table = valueAt(root, [array, index]) as TomlTable | undefined;
  const name = table?.['name'];
  if (typeof name !== 'string') return undefined;
  const probe = typeof table?.['probe'] === 'string' ? table['probe'] : undefined;
  const mutators = mutatorsNamed(catalog, name, probe);
  if (key === 'name' && rest.length === 0) return mutators.map(describeMutator).join('\n\n---\n\n');
  const param = key === 'param_constraints' && rest.at(-1) === 'name' && valueAt(root, path);
  if (typeof param !== 'string') return undefined;
  const parameters = mutators.flatMap((mutator) =>
    mutator.parameters.filter((one) => one.name === param || one.key === param),
  );
  return parameters.map(describeParameter).join('\n\n---\n\n') || undefined;
}

function valueAt(root: TomlTable, path: TomlPath): TomlValue | undefined {
  let value: TomlValue | undefined = root;
  for (const step of path) value = (value as TomlTable | undefined)?.[step];
  return value;
}

function describeMutator(mutator: CatalogMutator): string {
  const { name, id, description, probe, operation, tags, parameters } = mutator;
  return [
    `**${name ?? id}**${probe === undefined ? '' : ` at ${probe}`}`,
    description,
    operation && `Operation: ${operation}.`,
    tags.length > 0 && `Tags: ${tags.join(', ')}.`,
    parameters.map((parameter) => `- ${line(parameter)}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function line({ name, type, units, hardRange }: Parameter): string {
  const range = hardRange && `, ${formatRange(hardRange)}`;
  return `\`${name}\`: ${type}${range ?? ''}${units === undefined ? '' : ` ${units}`}`;
}

function describeParameter(parameter: Parameter): string {
  const { description, options, default: otherwise } = parameter;
  return [
    line(parameter),
    description,
    options && `Options: ${options.map((option) => `\`${option.name}\``).join(', ')}.`,
    otherwise && `Default: \`${format(otherwise)}\`.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
