import { CompletionItemKind } from 'vscode-languageserver/node';
import { code } from '../../basics/index.js';
import {
  attributesOfShapes,
  type Comparison,
  comparedWith,
  fitsBackquotes,
  type In,
  type Name,
  OWN_EVENTS,
  printName,
  printPlace,
  printString,
  type Recorded,
  shapesOf,
  type Token,
  type Tree,
  type Visitor,
  visit,
} from '../../expression/index.js';
import type { EventShape } from '../../session/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionPlace } from '../expressions.js';
import { covers } from '../text/places.js';
import { placeSuggestion, plain, type Suggestion } from './suggestions.js';

/* Recorded names in an expression: suggestions after some tokens, and descriptions of words. */

/** The context: recordings, the readable part of the expression, the tokens before the cursor. */
export interface RecordedPlace {
  readonly recorded: Recorded;
  readonly tree: Tree;
  readonly before: readonly Token[];
  /** The keyword of the clause. */
  readonly clause: string;
}

/** Returns the attributes of the possible events: in a pattern, or after `label.`. */
export function recordedAttributes(place: RecordedPlace): Suggestion[] {
  const path = place.before.at(-1)?.type === '.' ? pathBefore(place.before.slice(0, -1)) : [];
  const { shapes, name } = ofPath(place, path);
  const begins = name.map((part) => `${part}.`).join('');
  return [...attributesOfShapes(shapes)].flatMap(([attribute, count]) =>
    attribute.startsWith(begins) && fitsBackquotes(attribute)
      ? [counted(attribute.slice(begins.length), CompletionItemKind.Property, count)]
      : [],
  );
}

/** Returns events in the notation with their probes. */
export function recordedEvents({ recorded }: RecordedPlace): Suggestion[] {
  return recorded.shapes.slice(0, MOST_EVENTS).map(({ name, probe, events }) => {
    const written = `${printPlace({ text: name })} @ ${printPlace({ text: probe })}`;
    return { ...counted(`${name} @ ${probe}`, CompletionItemKind.Event, events), text: written };
  });
}

const MOST_EVENTS = 50;

/** Returns the probes of the event before `@`, or all if no such event was recorded. */
export function recordedProbes({ recorded, before }: RecordedPlace): Suggestion[] {
  const event = wordOf(before.at(-2));
  const named = recorded.shapes.filter(({ name }) => name === event);
  const probes = new Map<string, number>();
  for (const { probe, events } of named.length > 0 ? named : recorded.shapes) {
    probes.set(probe, (probes.get(probe) ?? 0) + events);
  }
  return [...probes].map(([probe, count]) => counted(probe, CompletionItemKind.Module, count));
}

/** Returns the texts that were recorded for the attribute before a comparator or IN. */
export function recordedTexts(place: RecordedPlace): Suggestion[] {
  const { recorded } = place;
  const operator = place.before.findLastIndex(({ type }) => !['string', ',', '('].includes(type));
  const sign = place.before[operator]?.type;
  if (sign !== 'comparator' && sign !== 'IN') return [];
  const negated = place.before[operator - 1]?.type === 'NOT' ? 1 : 0;
  const { name } = ofPath(place, pathBefore(place.before.slice(0, operator - negated)));
  const of = name.join('.');
  const texts =
    of === 'name' ? recorded.names : of === 'probe' ? recorded.probes : recorded.texts.get(of);
  const ownEvents = of === 'name' ? OWN_EVENTS.filter((event) => !recorded.names.has(event)) : [];
  return [
    ...[...(texts ?? [])].map(([text, count]) => ({
      ...plain(printString(text)),
      detail: eventCount(count),
    })),
    ...ownEvents.map((event) => plain(printString(event))),
  ];
}

function counted(word: string, kind: CompletionItemKind, count: number): Suggestion {
  const detail = eventCount(count);
  if (kind !== CompletionItemKind.Property) return { ...placeSuggestion(word, kind), detail };
  const path = word.split('.').map((text) => printName({ text }));
  return { label: word, kind, text: path.join('.'), detail };
}

function eventCount(count: number): string {
  if (count === 0) return 'no recorded event';
  return `${count} recorded ${count === 1 ? 'event' : 'events'}`;
}

/** Returns an attribute's name, without its label, and the events that may have it. */
function ofPath({ recorded, tree, before, clause }: RecordedPlace, path: readonly string[]) {
  if (clause === 'MATCH') return { shapes: shapesOfPattern(recorded, before), name: path };
  const [label, ...name] = path;
  const pattern = tree.match?.patterns.find((pattern) => pattern.label.text === label);
  const allowed = pattern === undefined ? [] : shapesOf(pattern.condition, recorded.shapes);
  return { shapes: allowed.length > 0 ? allowed : recorded.shapes, name };
}

/** Returns the events that match the pattern before the cursor, as far as written. */
function shapesOfPattern({ shapes }: Recorded, before: readonly Token[]): readonly EventShape[] {
  const begin = before.findLastIndex(({ type }) => type === 'MATCH' || type === 'AS');
  const required = { name: new Set<string>(), probe: new Set<string>() };
  for (let at = begin + 1; at < before.length; at += 1) {
    const [left, sign, right] = before
      .slice(at, at + 3)
      .map((token) => ({ ...token, word: wordOf(token) }));
    if (right?.word === undefined || left?.word === undefined) continue;
    if (sign?.type === '@') {
      required.probe.add(right.word);
      if (before[at + 3]?.type !== 'comparator') required.name.add(left.word);
    } else if (sign?.image === '=' && right.type === 'string') {
      if (left.word === 'name' || left.word === 'probe') required[left.word].add(right.word);
    }
  }
  const allowed = shapes.filter(
    ({ name, probe }) =>
      (required.name.size === 0 || required.name.has(name)) &&
      (required.probe.size === 0 || required.probe.has(probe)),
  );
  return allowed.length > 0 ? allowed : shapes;
}

/** Returns the names of a dotted path that ends a row of tokens. */
function pathBefore(tokens: readonly Token[]): string[] {
  const path: string[] = [];
  for (let at = tokens.length - 1; at >= 0; at -= 2) {
    const word = wordOf(tokens[at]);
    if (word === undefined) break;
    path.unshift(word);
    if (tokens[at - 1]?.type !== '.') break;
  }
  return path;
}

/** Returns the word of a name or a string. */
function wordOf(token: Token | undefined): string | undefined {
  if (token?.type === 'identifier') return token.image;
  const isQuoted = token?.type === 'quoted identifier' || token?.type === 'string';
  return isQuoted ? token.image.slice(1, -1) : undefined;
}

/** Describes recordings of the word at an offset of the file, in Markdown; undefined for any other. */
export function describeRecorded(
  { source, tree }: ExpressionPlace,
  offset: number,
  recorded: Recorded,
): { readonly span: Span; readonly text: string } | undefined {
  const words: { readonly span: Span; readonly text: () => string | undefined }[] = [];
  const labels = new Set(tree.labels.map(({ text }) => text));
  const nameOf = (path: readonly Name[]): readonly Name[] =>
    path.length > 1 && labels.has(path[0]?.text ?? '') ? path.slice(1) : path;
  const addTexts = (leaf: Comparison | In): void => {
    const [attribute, values = []] = comparedWith(leaf) ?? [];
    const of = dotted(nameOf(attribute?.path ?? []));
    for (const { span, value } of values) {
      words.push({ span, text: () => describeText(of, String(value), recorded) });
    }
  };
  const visitor: Visitor = {
    located({ event, probe }) {
      words.push({ span: event.span, text: () => describeText('name', event.text, recorded) });
      words.push({ span: probe.span, text: () => describeText('probe', probe.text, recorded) });
    },
    attribute({ path, probe }) {
      const name = nameOf(path);
      for (const { span } of name)
        words.push({ span, text: () => describeAttribute(dotted(name), recorded) });
      if (probe)
        words.push({ span: probe.span, text: () => describeText('probe', probe.text, recorded) });
    },
    comparison: addTexts,
    in: addTexts,
  };
  for (const clause of [tree.match, tree.filter, tree.aggregate])
    if (clause) visit(clause, visitor);
  const word = words.find(({ span }) => covers(source.toFile(span), offset));
  const text = word?.text();
  return word && text !== undefined ? { span: source.toFile(word.span), text } : undefined;
}

function dotted(path: readonly Name[]): string {
  return path.map(({ text }) => text).join('.');
}

/** Describes the frequency of an attribute's text; for `name` and `probe`, also the places. */
function describeText(of: string, text: string, recorded: Recorded): string | undefined {
  if (of !== 'name' && of !== 'probe') {
    const texts = recorded.texts.get(of);
    return texts ? `${code(of)} had this value in ${eventCount(texts.get(text) ?? 0)}.` : undefined;
  }
  const shapes = recorded.shapes.filter((shape) => shape[of] === text);
  if (shapes.length === 0) return 'In no recorded event.';
  const other = of === 'name' ? 'probe' : 'name';
  const places = shapes.map((shape) => `${code(shape[other])} (${shape.events})`);
  const attributes = [...attributesOfShapes(shapes).keys()].slice(2).map(code);
  const where = of === 'name' ? `at ${some(places)}` : `named ${some(places)}`;
  const attributeList = attributes.length > 0 ? `\n\nAttributes: ${some(attributes)}.` : '';
  return `${eventCount(recorded[`${of}s`].get(text) ?? 0)}, ${where}.${attributeList}`;
}

/** Describes the kinds of an attribute, the events that have it, and its texts if they are few. */
function describeAttribute(attribute: string, recorded: Recorded): string | undefined {
  const count = recorded.attributes.get(attribute);
  if (count === undefined) return 'In no recorded event.';
  const shapes = recorded.shapes.filter((shape) => shape.attributes.has(attribute));
  if (shapes.length === 0) return undefined;
  const kinds = new Set(
    shapes.flatMap((shape) => [...(shape.attributes.get(attribute)?.keys() ?? [])]),
  );
  const names = new Set(shapes.map(({ name }) => code(name)));
  const texts = [...(recorded.texts.get(attribute) ?? [])].map(
    ([text, times]) => `${code(text)} (${times})`,
  );
  const textList = texts.length > 0 ? `\n\nTexts: ${some(texts)}.` : '';
  return `${[...kinds].join(' or ')}, in ${eventCount(count)}: ${some([...names])}.${textList}`;
}

const MOST_LISTED = 12;

function some(words: readonly string[]): string {
  const more = words.length - MOST_LISTED;
  return words.slice(0, MOST_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
