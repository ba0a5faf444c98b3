import { CompletionItemKind } from 'vscode-languageserver/node';
import { inlineCode } from '../../basics/index.js';
import {
  attributesOfShapes,
  attributeWithLiterals,
  type Comparison,
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
import { placeSuggestion, plainSuggestion, type Suggestion } from './suggestions.js';

/* Completion and hover texts for recorded names in an expression. */

/** The completion context: recordings, the parsed part of the expression, and the tokens before the cursor. */
export interface RecordedPlace {
  readonly recorded: Recorded;
  readonly tree: Tree;
  readonly before: readonly Token[];
  /** The keyword of the clause. */
  readonly clause: string;
}

/** Returns suggestions for attributes of the possible events, in a pattern or after `label.`. */
export function suggestRecordedAttributes(place: RecordedPlace): Suggestion[] {
  const path = place.before.at(-1)?.type === '.' ? pathBefore(place.before.slice(0, -1)) : [];
  const { shapes, name } = ofPath(place, path);
  const prefix = name.map((part) => `${part}.`).join('');
  return [...attributesOfShapes(shapes)].flatMap(([attribute, count]) =>
    attribute.startsWith(prefix) && fitsBackquotes(attribute)
      ? [countedSuggestion(attribute.slice(prefix.length), CompletionItemKind.Property, count)]
      : [],
  );
}

/** Returns suggestions for recorded events, in the form `event @ probe`. */
export function suggestRecordedEvents({ recorded }: RecordedPlace): Suggestion[] {
  return recorded.shapes.slice(0, MAX_EVENTS).map(({ name, probe, events }) => {
    const eventText = `${printPlace({ text: name })} @ ${printPlace({ text: probe })}`;
    return {
      ...countedSuggestion(`${name} @ ${probe}`, CompletionItemKind.Event, events),
      text: eventText,
    };
  });
}

const MAX_EVENTS = 50;

/**
 * Returns suggestions for the recorded probes of the event before `@`, or for all probes if the event was not recorded.
 */
export function suggestRecordedProbes({ recorded, before }: RecordedPlace): Suggestion[] {
  const event = tokenText(before.at(-2));
  const namedShapes = recorded.shapes.filter(({ name }) => name === event);
  const probes = new Map<string, number>();
  for (const { probe, events } of namedShapes.length > 0 ? namedShapes : recorded.shapes) {
    probes.set(probe, (probes.get(probe) ?? 0) + events);
  }
  return [...probes].map(([probe, count]) =>
    countedSuggestion(probe, CompletionItemKind.Module, count),
  );
}

/** Returns suggestions for the recorded strings of the attribute before a comparator or IN. */
export function suggestRecordedTexts(place: RecordedPlace): Suggestion[] {
  const { recorded } = place;
  const operator = place.before.findLastIndex(({ type }) => !['string', ',', '('].includes(type));
  const sign = place.before[operator]?.type;
  if (sign !== 'comparator' && sign !== 'IN') return [];
  const negated = place.before[operator - 1]?.type === 'NOT' ? 1 : 0;
  const { name } = ofPath(place, pathBefore(place.before.slice(0, operator - negated)));
  const attributeName = name.join('.');
  const texts =
    attributeName === 'name'
      ? recorded.names
      : attributeName === 'probe'
        ? recorded.probes
        : recorded.texts.get(attributeName);
  const ownEvents =
    attributeName === 'name' ? OWN_EVENTS.filter((event) => !recorded.names.has(event)) : [];
  return [
    ...[...(texts ?? [])].map(([text, count]) => ({
      ...plainSuggestion(printString(text)),
      detail: eventCount(count),
    })),
    ...ownEvents.map((event) => plainSuggestion(printString(event))),
  ];
}

function countedSuggestion(word: string, kind: CompletionItemKind, count: number): Suggestion {
  const detail = eventCount(count);
  if (kind !== CompletionItemKind.Property) return { ...placeSuggestion(word, kind), detail };
  const path = word.split('.').map((text) => printName({ text }));
  return { label: word, kind, text: path.join('.'), detail };
}

function eventCount(count: number): string {
  if (count === 0) return 'no recorded event';
  return `${count} recorded ${count === 1 ? 'event' : 'events'}`;
}

/** Returns an attribute's name, without its label, and the events that may have the attribute. */
function ofPath({ recorded, tree, before, clause }: RecordedPlace, path: readonly string[]) {
  if (clause === 'MATCH') return { shapes: shapesOfPattern(recorded, before), name: path };
  const [label, ...name] = path;
  const pattern = tree.match?.patterns.find((pattern) => pattern.label.text === label);
  const allowed = pattern === undefined ? [] : shapesOf(pattern.condition, recorded.shapes);
  return { shapes: allowed.length > 0 ? allowed : recorded.shapes, name };
}

/** Returns the events that match the incomplete pattern before the cursor. */
function shapesOfPattern({ shapes }: Recorded, before: readonly Token[]): readonly EventShape[] {
  const patternStart = before.findLastIndex(({ type }) => type === 'MATCH' || type === 'AS');
  const requiredTexts = { name: new Set<string>(), probe: new Set<string>() };
  for (let at = patternStart + 1; at < before.length; at += 1) {
    const [left, sign, right] = before
      .slice(at, at + 3)
      .map((token) => ({ ...token, word: tokenText(token) }));
    if (right?.word === undefined || left?.word === undefined) continue;
    if (sign?.type === '@') {
      requiredTexts.probe.add(right.word);
      if (before[at + 3]?.type !== 'comparator') requiredTexts.name.add(left.word);
    } else if (sign?.image === '=' && right.type === 'string') {
      if (left.word === 'name' || left.word === 'probe') requiredTexts[left.word].add(right.word);
    }
  }
  const allowed = shapes.filter(
    ({ name, probe }) =>
      (requiredTexts.name.size === 0 || requiredTexts.name.has(name)) &&
      (requiredTexts.probe.size === 0 || requiredTexts.probe.has(probe)),
  );
  return allowed.length > 0 ? allowed : shapes;
}

/** Returns the names in the dotted path at the end of the tokens. */
function pathBefore(tokens: readonly Token[]): string[] {
  const path: string[] = [];
  for (let at = tokens.length - 1; at >= 0; at -= 2) {
    const word = tokenText(tokens[at]);
    if (word === undefined) break;
    path.unshift(word);
    if (tokens[at - 1]?.type !== '.') break;
  }
  return path;
}

/** Returns a name token's or string token's text. */
function tokenText(token: Token | undefined): string | undefined {
  if (token?.type === 'identifier') return token.image;
  const isQuoted = token?.type === 'quoted identifier' || token?.type === 'string';
  return isQuoted ? token.image.slice(1, -1) : undefined;
}

/**
 * Describes, in Markdown, the recorded events that contain the name or string at a file offset. Returns undefined if
 * there is nothing to describe.
 */
export function describeRecordedWord(
  { source, tree }: ExpressionPlace,
  offset: number,
  recorded: Recorded,
): { readonly span: Span; readonly text: string } | undefined {
  const words: { readonly span: Span; readonly text: () => string | undefined }[] = [];
  const labels = new Set(tree.labels.map(({ text }) => text));
  const nameOf = (path: readonly Name[]): readonly Name[] =>
    path.length > 1 && labels.has(path[0]?.text ?? '') ? path.slice(1) : path;
  const addTexts = (leaf: Comparison | In): void => {
    const [attribute, values = []] = attributeWithLiterals(leaf) ?? [];
    const attributeName = dotted(nameOf(attribute?.path ?? []));
    for (const { span, value } of values) {
      words.push({ span, text: () => describeText(attributeName, String(value), recorded) });
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

/**
 * Describes the recorded events in which an attribute has a given string as its value. Reports their number; for
 * `name`, also their probes and attributes; for `probe`, also their names and attributes.
 */
function describeText(of: string, text: string, recorded: Recorded): string | undefined {
  if (of !== 'name' && of !== 'probe') {
    const texts = recorded.texts.get(of);
    return texts
      ? `${inlineCode(of)} had this value in ${eventCount(texts.get(text) ?? 0)}.`
      : undefined;
  }
  const shapes = recorded.shapes.filter((shape) => shape[of] === text);
  if (shapes.length === 0) return 'Not in any recorded event.';
  const other = of === 'name' ? 'probe' : 'name';
  const shapeTexts = shapes.map((shape) => `${inlineCode(shape[other])} (${shape.events})`);
  const attributes = [...attributesOfShapes(shapes).keys()].slice(2).map(inlineCode);
  const locationText =
    of === 'name' ? `at ${listSome(shapeTexts)}` : `named ${listSome(shapeTexts)}`;
  const attributeList = attributes.length > 0 ? `\n\nAttributes: ${listSome(attributes)}.` : '';
  return `${eventCount(recorded[`${of}s`].get(text) ?? 0)}, ${locationText}.${attributeList}`;
}

/** Describes an attribute's types and events, and its strings if they are few. */
function describeAttribute(attribute: string, recorded: Recorded): string | undefined {
  const count = recorded.attributes.get(attribute);
  if (count === undefined) return 'Not in any recorded event.';
  const shapes = recorded.shapes.filter((shape) => shape.attributes.has(attribute));
  if (shapes.length === 0) return undefined;
  const kinds = new Set(
    shapes.flatMap((shape) => [...(shape.attributes.get(attribute)?.keys() ?? [])]),
  );
  const names = new Set(shapes.map(({ name }) => inlineCode(name)));
  const texts = [...(recorded.texts.get(attribute) ?? [])].map(
    ([text, times]) => `${inlineCode(text)} (${times})`,
  );
  const textList = texts.length > 0 ? `\n\nTexts: ${listSome(texts)}.` : '';
  return `${[...kinds].join(' or ')}, in ${eventCount(count)}: ${listSome([...names])}.${textList}`;
}

const MAX_LISTED = 12;

function listSome(words: readonly string[]): string {
  const omitted = words.length - MAX_LISTED;
  return words.slice(0, MAX_LISTED).join(', ') + (omitted > 0 ? ` and ${omitted} more` : '');
}
