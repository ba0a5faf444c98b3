import { OWN_PROBE, sum } from '../../basics/index.js';
import {
  adviseOn,
  findNearestWord,
  listOf,
  type ProposedFix,
  quote,
  suggest,
  suggestedFix,
  type Violation,
} from '../../diagnostics/index.js';
import type { EventShape } from '../../session/index.js';
import type { Span } from '../../source/index.js';
import type * as ast from '../tree/ast.js';
import { printName, printPlace } from '../tree/print.js';
import { attributesOf, callsIn, dotted, type Leaf, measuresOf } from '../tree/walk.js';
import type { Context } from './context.js';
import { type Demand, demandsOfCall, demandsOfLeaf, type Kinds, literalAs } from './demands.js';
import { globMatcher } from './glob.js';
import { type Kind, stringFix } from './kinds.js';
import { isOfSession } from './meaning.js';
import { findUntiedEvents, limitsWithoutTimes, missingTimeViolation } from './no-time.js';
import {
  attributesOfShapes,
  attributeWithLiterals,
  BUILT_IN_ATTRIBUTES,
  comparedTexts,
  forEachLeaf,
  OWN_EVENTS,
  type Recorded,
  requiredTexts,
  requiresOwnEvent,
  shapesOf,
  type UnrecordedRequirement,
} from './recorded.js';
import { findSpansCountedTwice } from './span-twice.js';
import { findUnorderedPairs } from './unordered.js';

const PLURAL = { name: 'names', probe: 'probes' } as const;

/** The recorded contents, and the function that reports a violation. */
interface Check {
  readonly recorded: Recorded;
  readonly report: (aspect: UnrecordedRequirement['what'], violation: Violation) => void;
  /** The shapes whose times were already checked, because a missing time is reported only once. */
  readonly timed: Set<Shapes>;
}

/** The shapes of the events that an attribute belongs to; undefined if unknown. */
type Shapes = readonly EventShape[] | undefined;

/**
 * Maximum number of steps. Nothing is reported for a larger expression, because the search would
 * take minutes.
 */
const MAX_STEPS = 1e9;

/** Compares an expression with the recorded contents. Does not report consequences of an unknown name. */
export function findUnrecordedRequirements(
  tree: ast.Tree,
  { bound, inPatterns, inFilter, measuredAttributes: measured }: Context,
  recorded: Recorded,
): UnrecordedRequirement[] {
  const { match, aggregate } = tree;
  const results: UnrecordedRequirement[] = [];
  if (inPatterns.length ** 2 * recorded.shapes.length > MAX_STEPS) return results;
  const check: Check = {
    recorded,
    report: (aspect, violation) => void results.push({ what: aspect, violation }),
    timed: new Set(),
  };
  const ofLabel = new Map<string, Shapes>();
  for (const { condition, label } of match?.patterns ?? []) {
    const isKnown =
      !requiresOwnEvent(condition) &&
      requiredTexts(condition).every(({ text, of }) => recorded[PLURAL[of]].has(text));
    const shapes = shapesOf(condition, recorded.shapes);
    ofLabel.set(label.text, isKnown && shapes.length > 0 ? shapes : undefined);
    forEachLeaf(condition, recorded.shapes, (leaf, allowed) => {
      const patternAttribute = (attribute: ast.Attribute): ScopedAttribute => ({
        name: attribute.path,
        shapes: isKnown && allowed.length > 0 ? atProbe(allowed, attribute) : undefined,
      });
      checkLeaf(leaf, patternAttribute, check);
      if (isKnown) checkTogether(leaf, allowed, check);
    });
  }
  const labelledAttribute = (attribute: ast.Attribute): ScopedAttribute | undefined => {
    const [label, ...name] = attribute.path;
    const isBound = label !== undefined && name.length > 0 && bound.has(label.text);
    if (!isBound || isOfSession(attribute, bound)) return undefined;
    return { name, shapes: atProbe(ofLabel.get(label.text), attribute) };
  };
  for (const leaf of inFilter) checkLeaf(leaf, labelledAttribute, check);
  const keys = (aggregate?.by?.keys ?? []).flatMap((key) => {
    if (key.kind === 'window') return [key.time];
    return key.kind === 'attribute' ? [key] : [];
  });
  for (const attribute of [...measured, ...keys])
    checkAttribute(labelledAttribute(attribute), check);
  for (const measure of measuresOf(tree)) {
    const demands = callsIn(measure.left, measure.right).flatMap(demandsOfCall);
    checkKinds(demands, measure.span, labelledAttribute, check);
  }
  for (const violation of findSpansCountedTwice(tree, inFilter, recorded.shapes))
    check.report('span', violation);
  for (const { shapes, span } of limitsWithoutTimes(tree, ofLabel)) checkTime(shapes, span, check);
  for (const violation of findUntiedEvents(tree, ofLabel, recorded.shapes))
    check.report('time', violation);
  for (const violation of findUnorderedPairs(tree, ofLabel, recorded.orders))
    check.report('order', violation);
  return results;
}

/** An attribute without its label, and the shapes of its events. */
interface ScopedAttribute {
  readonly name: readonly ast.Name[];
  readonly shapes: Shapes;
}

type ScopedAttributeOf = (attribute: ast.Attribute) => ScopedAttribute | undefined;

function atProbe(shapes: Shapes, { probe }: ast.Attribute): Shapes {
  return probe === undefined ? shapes : shapes?.filter((shape) => shape.probe === probe.text);
}

function checkLeaf(leaf: Leaf, scopedOf: ScopedAttributeOf, check: Check): void {
  if (leaf.kind === 'located') {
    checkWord('name', leaf.event, check);
    checkWord('probe', leaf.probe, check);
    return;
  }
  for (const attribute of attributesOf(leaf)) {
    const { probe } = attribute;
    if (probe !== undefined) checkWord('probe', probe, check);
    checkAttribute(scopedOf(attribute), check);
  }
  if (leaf.kind === 'glob' && leaf.operand.kind === 'attribute') {
    const attributeName = dotted(scopedOf(leaf.operand)?.name ?? []);
    if (attributeName === 'name' || attributeName === 'probe')
      checkGlob(attributeName, leaf.pattern, check);
  }
  const [attribute, values = []] = attributeWithLiterals(leaf) ?? [];
  const scoped = attribute && scopedOf(attribute);
  for (const value of values) {
    if (scoped === undefined || value.kind !== 'string') continue;
    const attributeName = dotted(scoped.name);
    if (attributeName === 'name' || attributeName === 'probe')
      checkWord(attributeName, value, check);
    else checkValue(scoped, value, check);
  }
  checkKinds(demandsOfLeaf(leaf), leaf.span, scopedOf, check);
}

function checkWord(
  of: 'name' | 'probe',
  word: ast.Name | ast.StringLiteral,
  { recorded, report }: Check,
): void {
  const text = textOf(word);
  if (recorded[PLURAL[of]].has(text) || recorded.expected.has(text)) return;
  const message =
    of === 'name'
      ? `no recorded event has the name ${quote(text)}`
      : `no recorded event is at the probe ${quote(text)}`;
  const ownNames = of === 'name' ? OWN_EVENTS : [OWN_PROBE];
  const candidates = [...new Set([...recorded[PLURAL[of]].keys(), ...ownNames])];
  // An expected name may be the intended name, but must not be listed as a recorded name.
  const nearestExpected = findNearestWord(text, [...recorded.expected]);
  const isNear = nearestExpected !== undefined && findNearestWord(text, candidates) === undefined;
  report(of, { message, ...answer(word, isNear ? [nearestExpected] : candidates) });
}

/**
 * Reports a GLOB pattern that matches no recorded word. Suggests a recorded word that is similar,
 * or begins similarly.
 */
function checkGlob(
  of: 'name' | 'probe',
  pattern: ast.StringLiteral,
  { recorded, report }: Check,
): void {
  const { value, span } = pattern;
  const candidates = [...recorded[PLURAL[of]].keys()];
  const isMet = matcherOf(value);
  if (isMet === undefined || [...candidates, ...recorded.expected].some(isMet)) return;
  const [, stars = '', word = '', ending = ''] = /^(\**)([^*?[\]]*)(.*)$/s.exec(value) ?? [];
  const nearText = findNearestWord(
    word,
    ending === '' ? candidates : [...candidates, ...beginnings(candidates, word.length)],
  );
  const subject = of === 'name' ? 'has a name that matches' : 'is at a probe that matches';
  report(of, {
    message: `no recorded event ${subject} ${quote(value)}`,
    help:
      nearText === undefined
        ? suggest('', candidates)
        : `did you mean ${quote(stars + nearText + ending)}?`,
    span,
    ...(nearText !== undefined && { fix: stringFix(span, stars + nearText + ending) }),
  });
}

/** Compiles a pattern. Returns undefined if a set is not closed. */
function matcherOf(pattern: string): ((text: string) => boolean) | undefined {
  try {
    return globMatcher(pattern);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns the words' prefixes of approximately a given length, as candidates for a pattern's text
 * before a star.
 */
function beginnings(words: readonly string[], length: number): string[] {
  return words.flatMap((word) =>
    [length + 1, length, length - 1].map((size) => word.slice(0, size)),
  );
}

function textOf(word: ast.Name | ast.StringLiteral): string {
  return word.kind === 'name' ? word.text : word.value;
}

/** Suggests the most similar candidate as a replacement for a word. */
function answer(
  word: ast.Name | ast.StringLiteral,
  candidates: readonly string[],
): Pick<Violation, 'help' | 'span' | 'fix'> {
  const { span } = word;
  const { help, instead } = adviseOn(textOf(word), candidates);
  if (instead === undefined) return { help, span };
  const fix =
    word.kind === 'name'
      ? suggestedFix(span, printPlace({ text: instead }))
      : stringFix(span, instead);
  return { help, span, fix };
}

/** Reports a name and a probe that were both recorded, but never in the same event. */
function checkTogether(
  leaf: Leaf,
  allowed: readonly EventShape[],
  { recorded, report }: Check,
): void {
  if (leaf.kind === 'located') {
    differentProbes(leaf.event.text, leaf.probe);
    return;
  }
  const compared = comparedTexts(leaf);
  const [single, ...additional] = compared?.texts ?? [];
  const isProbe = compared?.of === 'probe' && !compared.negated;
  const [name, ...moreNames] = new Set(allowed.map((shape) => shape.name));
  if (!isProbe || single === undefined || additional.length > 0 || name === undefined) return;
  if (moreNames.length === 0) differentProbes(name, single);

  function differentProbes(name: string, probe: ast.Name | ast.StringLiteral) {
    const namedShapes = recorded.shapes.filter((shape) => shape.name === name);
    const probes = [...new Set(namedShapes.map((shape) => shape.probe))];
    if (probes.includes(textOf(probe))) return;
    report('probe', {
      message: `no recorded event ${quote(name)} is at the probe ${quote(textOf(probe))}`,
      ...answer(probe, probes),
    });
  }
}

/** Reports a use of event times if no event of the shapes has a time. */
function checkTime(shapes: Shapes, span: Span, { recorded, timed, report }: Check): void {
  if (shapes === undefined || timed.has(shapes) || recorded.expected.has('time')) return;
  timed.add(shapes);
  const violation = missingTimeViolation(shapes, span);
  if (violation) report('time', violation);
}

function checkAttribute(scoped: ScopedAttribute | undefined, check: Check): void {
  const { recorded, report } = check;
  const [first, last] = [scoped?.name[0], scoped?.name.at(-1)];
  if (scoped?.shapes === undefined || first === undefined || last === undefined) return;
  const name = dotted(scoped.name);
  if (recorded.expected.has(name)) return;
  if (name === 'time') checkTime(scoped.shapes, last.span, check);
  if (BUILT_IN_ATTRIBUTES.has(name)) return;
  if (scoped.shapes.some((shape) => mayHave(shape, name))) return;
  const attributeCounts = attributesOfShapes(scoped.shapes);
  const otherShapes = recorded.shapes.filter(({ attributes }) => attributes.has(name));
  const otherNames = [...new Set(otherShapes.map((shape) => shape.name))];
  const span = { start: first.span.start, end: last.span.end };
  const { help, instead } =
    otherNames.length > 0
      ? { help: `the attribute belongs to ${listOf(otherNames)}` }
      : adviseOn(name, [...attributeCounts.keys()]);
  const replacement = instead?.split('.').map((text) => printName({ text }));
  report('attribute', {
    message: `no recorded event that the pattern allows has the attribute ${quote(name)}`,
    ...{ help, span, instead: replacement?.join('.') },
  });
}

function mayHave({ attributes, beginnings = [] }: EventShape, name: string): boolean {
  return (
    attributes.has(name) ||
    beginnings.some((beginning) => name === beginning || name.startsWith(`${beginning}.`))
  );
}

/** Minimum average number of events per distinct string, for an attribute's values to count as known. */
const ENOUGH = 4;

function checkValue(
  scoped: ScopedAttribute,
  literal: ast.StringLiteral,
  { recorded, report }: Check,
): void {
  const { value } = literal;
  const name = dotted(scoped.name);
  const texts = recorded.texts.get(name);
  if (scoped.shapes === undefined || texts == null || texts.has(value)) return;
  if (recorded.expected.has(value) || sum(texts.values()) < ENOUGH * texts.size) return;
  report('value', {
    message: `${quote(name)} was never ${quote(value)} in a recorded event`,
    ...answer(literal, [...texts.keys()]),
  });
}

/** Returns the recorded kinds of an attribute's values; undefined if unknown. */
function kindsOf(scoped: ScopedAttribute | undefined): Kinds | undefined {
  if (scoped?.shapes === undefined) return undefined;
  const name = dotted(scoped.name);
  if (BUILT_IN_ATTRIBUTES.has(name)) return undefined;
  const kinds = new Set<Kind>();
  for (const kind of scoped.shapes.flatMap(({ attributes }) => [
    ...(attributes.get(name)?.keys() ?? []),
  ])) {
    if (kind === 'other') return undefined;
    kinds.add(kind === 'integer' || kind === 'float' ? 'number' : kind);
  }
  return kinds.size === 0 ? undefined : kinds;
}

/** Reports the first demand that no recorded value satisfies. */
function checkKinds(
  demands: readonly Demand[],
  span: Span,
  scopedOf: ScopedAttributeOf,
  { recorded, report }: Check,
): void {
  for (const { attribute, literal, other: otherAttribute, ...demand } of demands) {
    const scoped = scopedOf(attribute);
    const kinds = kindsOf(scoped);
    const wantedKinds = demand.kinds ?? (otherAttribute && kindsOf(scopedOf(otherAttribute)));
    if (scoped === undefined || kinds === undefined || wantedKinds === undefined) continue;
    if ([...wantedKinds].some((kind) => kinds.has(kind))) continue;
    const [was, otherKinds] = [kinds, wantedKinds].map((kindSet) => [...kindSet].join(' or a '));
    report('kind', {
      message: `${quote(dotted(scoped.name))} was always a ${was} in recorded events that the pattern allows, never a ${otherKinds}`,
      ...(literal
        ? adviceOn(scoped, kinds, literal, recorded)
        : { help: `use an attribute that is a ${otherKinds}` }),
      span,
    });
    return;
  }
}

/** Advises on a literal whose kind the attribute never has. */
function adviceOn(
  scoped: ScopedAttribute,
  kinds: Kinds,
  literal: ast.Literal,
  { texts }: Recorded,
): Pick<Violation, 'help' | 'fix'> {
  const { span } = literal;
  const making = (fix: ProposedFix) => ({ help: fix.title, fix });
  const writing = (text: string) => making(suggestedFix(span, text));
  if (kinds.has('boolean')) {
    const text = literalAs(literal, 'boolean');
    return text === undefined ? { help: 'expected TRUE or FALSE' } : writing(text);
  }
  if (kinds.has('number')) {
    const text = literalAs(literal, 'number');
    return text === undefined ? { help: 'compare with a number' } : writing(text);
  }
  const value = String(literal.value);
  const counts = texts.get(dotted(scoped.name));
  if (counts?.has(value)) return making(stringFix(span, value));
  const examples = counts ? `, such as ${listOf([...counts.keys()].slice(0, 3))}` : '';
  return { help: `compare with a string${examples}` };
}
