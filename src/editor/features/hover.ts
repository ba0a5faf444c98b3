import { type Hover, MarkupKind } from 'vscode-languageserver/node';
import { codeBlock, escapeMarkdown, inlineCode } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { lex } from '../../expression/index.js';
import { ACTUATOR_SUMMARIES, findMutators } from '../../mutators/index.js';
import { metadataIn } from '../../objective/index.js';
import type { Span } from '../../source/index.js';
import { type TomlDocument, type TomlPath, type TomlTable, tomlValueAt } from '../../toml/index.js';
import { type ExpressionPlace, expressionAt, nameAt } from '../expressions.js';
import { covers } from '../text/places.js';
import { elementAt, entryAt, formatOf } from '../toml-element.js';
import { forPosition, rangeOf, type View } from '../view.js';
import {
  CLAUSES,
  describeEntry,
  describeFunction,
  describeMutator,
  describeParameter,
  describeRule,
} from './describe.js';
import { describeRecordedWord } from './recorded.js';

/** Returns the hover text for the word at an offset: a key, a label, a function, a mutator or a rule. */
export const hover = forPosition((view: View, offset): Hover | undefined => {
  const rule = ruleAt(view, offset);
  if (rule !== undefined) return rule;
  const site = expressionAt(view.snapshot, offset);
  return site === undefined ? hoverToml(view, offset) : hoverExpression(view, site, offset);
});

function markdownHover(view: View, span: Span, markdown: string): Hover {
  return {
    contents: { kind: MarkupKind.Markdown, value: markdown },
    range: rangeOf(view, span),
  };
}

/** Describes the rule named at an offset in a comment or in perturb.toml. */
function ruleAt(view: View, offset: number): Hover | undefined {
  const { text } = view.snapshot.file;
  let [start, end] = [offset, offset];
  while (/[\w/-]/.test(text.charAt(start - 1))) start -= 1;
  while (/[\w/-]/.test(text.charAt(end))) end += 1;
  const rule = view.rules.find(({ id }) => id === text.slice(start, end));
  return rule && markdownHover(view, { start, end }, describeRule(rule));
}

function hoverExpression(view: View, site: ExpressionPlace, offset: number): Hover | undefined {
  const { source, tree } = site;
  const { text } = source;
  const at = (span: Span, markdown: string | undefined): Hover | undefined =>
    markdown === undefined ? undefined : markdownHover(view, source.toFile(span), markdown);
  const name = nameAt(site, offset);
  if (name?.role === 'label') {
    const pattern = tree.match?.patterns.find(({ label }) => label.text === name.text);
    const patternText = pattern && text.slice(pattern.span.start, pattern.span.end);
    return at(name.span, patternText && codeBlock('trace', patternText));
  }
  if (name?.role === 'function') return at(name.span, describeFunction(name.text));
  const word = view.recorded && describeRecordedWord(site, offset, view.recorded);
  if (word !== undefined) return markdownHover(view, word.span, word.text);
  if (name !== undefined) return undefined;
  // Of two adjacent tokens, prefers the token that starts at the offset.
  const token = lex(text).tokens.findLast((token) => covers(source.toFile(token), offset));
  return token && at(token, CLAUSES[token.type]);
}

function hoverToml(view: View, offset: number): Hover | undefined {
  const { document, kind, file } = view.snapshot;
  const metadata = document && kind === 'objective' && metadataAt(view, document, offset);
  if (metadata) return metadata;
  const element = document && elementAt(document, offset);
  if (document === undefined || element === undefined) return undefined;
  const { part, path, span } = element;
  if (part === 'key') {
    const entry = entryAt(formatOf(kind, file.text, offset), path);
    return entry && markdownHover(view, span, describeEntry(entry));
  }
  const value = tomlValueAt(document.root, path);
  const description =
    kind === 'objective'
      ? describeMutation(view, document.root, path)
      : typeof value === 'string'
        ? describeWord(view, path, value)
        : undefined;
  return description ? markdownHover(view, span, description) : undefined;
}

/** Describes the metadata comment at an offset, and the comment's owner. */
function metadataAt(view: View, document: TomlDocument, offset: number): Hover | undefined {
  const comment = metadataIn(document).find(({ span }) => covers(span, offset));
  if (comment?.owner === undefined || comment.value === undefined) return undefined;
  const { owner, span, word } = comment;
  const path = owner === 'objective' ? ['name'] : ['measurement', owner, 'name'];
  const noun = owner === 'objective' ? 'objective' : 'measurement';
  const name = escapeMarkdown(quote(String(tomlValueAt(document.root, path))));
  const text = `${inlineCode(word)} of the ${noun} ${name}: shown in results, and selectable with ${inlineCode(`--only @${word}=${comment.value}`)}`;
  return markdownHover(view, span, text);
}

/** Describes a word in a manifest or in perturb.toml. */
function describeWord({ snapshot }: View, path: TomlPath, word: string): string | undefined {
  const { kind, document } = snapshot;
  if (kind === 'manifest' && path.at(-1) === 'kind') return ACTUATOR_SUMMARIES.get(word);
  const namesServers = ['lint.mutators', 'run.servers'].includes(path.slice(0, 2).join('.'));
  const url = namesServers && document && tomlValueAt(document.root, ['servers', word, 'url']);
  return typeof url === 'string' ? inlineCode(url) : undefined;
}

/** Describes the mutator or parameter named in an objective, from the catalog. */
function describeMutation({ catalog }: View, root: TomlTable, path: TomlPath): string | undefined {
  const [array, index, key, ...rest] = path;
  if (catalog === undefined || array !== 'mutator' || typeof index !== 'number') return undefined;
  const table = tomlValueAt(root, [array, index]) as TomlTable | undefined;
  const name = table?.['name'];
  if (typeof name !== 'string') return undefined;
  const probe = typeof table?.['probe'] === 'string' ? table['probe'] : undefined;
  const mutators = findMutators(catalog, name, probe);
  if (key === 'name' && rest.length === 0) return mutators.map(describeMutator).join('\n\n---\n\n');
  const param = key === 'param_constraints' && rest.at(-1) === 'name' && tomlValueAt(root, path);
  if (typeof param !== 'string') return undefined;
  const parameters = mutators.flatMap((mutator) =>
    mutator.parameters.filter((parameter) => parameter.name === param || parameter.key === param),
  );
  return parameters.map(describeParameter).join('\n\n---\n\n') || undefined;
}
