import { quote } from '../../diagnostics/index.js';
import {
  type Attribute,
  attributesIn,
  attributesOf,
  type Comparator,
  type Condition,
  dotted,
  type Literal,
  leavesOf,
  MIRRORED_COMPARATORS,
  type Name,
  type Operand,
  printOperand,
} from '../../expression/index.js';
import { nanosecondsText, timeText } from '../../values/index.js';
import { showTerm, type TermValue } from '../exact/term-value.js';
import { placeText } from './listing.js';
import type { Relaxation, UnmetPart } from './relax.js';
import type { BoundEvent, EventValue, Evidence } from './result.js';

const REQUIREMENT_TEXTS: Readonly<Record<Comparator, string>> = {
  '<': 'below ',
  '<=': 'at most ',
  '>': 'above ',
  '>=': 'at least ',
  '=': '',
  '!=': 'anything but ',
};

/** Formats a requirement, such as `at most 500`. */
export function wantedText(comparator: Comparator, limit: string): string {
  return `${REQUIREMENT_TEXTS[comparator]}${limit}`;
}

/**
 * Describes a near miss, such as `HEARTBEAT at AUTOPILOT came after 250ms, limit 100ms`.
 *
 * @param count the number of bindings with the same failure
 * @param value the value of the relaxation's nearest operand
 */
export function nearMissText(
  { failure, part }: Pick<Relaxation, 'failure' | 'part'>,
  evidence: Evidence,
  count: bigint,
  value: TermValue | undefined,
): string {
  const { binding } = evidence;
  const name = (label: string) => eventText(binding[label] as BoundEvent);
  const distanceText = ({ from, to }: { readonly from: string; readonly to: string }) =>
    timeBetween(binding[from] as BoundEvent, binding[to] as BoundEvent);
  switch (failure.kind) {
    case 'text': {
      const events = Object.keys(binding).length > 1 ? 'binding' : 'event';
      const matches = count === 1n ? `1 ${events} matches` : `${count} ${events}s match`;
      return `${matches} except ${failure.attribute}: ${quote(failure.actual)}`;
    }
    case 'present':
      return `${name(failure.label)} should be absent`;
    case 'late': {
      const limit = `limit ${printOperand(failure.limit)}`;
      return `${name(failure.to)} came after ${distanceText(failure)}, ${limit}${moreText(count)}`;
    }
    case 'before': {
      const { from, to } = failure;
      const lead = distanceText({ from: to, to: from });
      const beforeText = lead === undefined ? 'before' : `${lead} before`;
      return `${name(to)} came ${beforeText} ${name(from)}${moreText(count)}`;
    }
    case 'unordered': {
      const delay = distanceText(failure);
      const laterText = delay === undefined ? '' : `, though its time is ${delay} later`;
      return `nothing orders ${name(failure.to)} after ${name(failure.from)}${laterText}${moreText(count)}`;
    }
    case 'ordered':
      return `${name(failure.to)} came after ${name(failure.from)}, wanted unordered${moreText(count)}`;
    case 'condition': {
      const { label, condition } = failure;
      const subject = label === undefined ? '' : `${name(label)}: `;
      const description =
        comparisonText(failure, evidence, value) ?? valuesText(condition, label, evidence);
      const [actualText, wantedText] =
        typeof description === 'string' ? [description, part.text] : description;
      return `${subject}${actualText}, wanted ${wantedText}${moreText(count)}`;
    }
  }
}

/** Formats the time between two events; undefined if an event has no time or the second event is earlier. */
function timeBetween(from: BoundEvent, to: BoundEvent): string | undefined {
  const [start, end] = [from, to].map(({ attributes }) => attributes?.['time']);
  if (typeof start === 'string' || typeof end === 'string') return undefined;
  if (start === undefined || end === undefined || end < start) return undefined;
  const isWhole = Number.isInteger(Number(start)) && Number.isInteger(Number(end));
  return nanosecondsText(isWhole ? BigInt(end) - BigInt(start) : Number(end) - Number(start));
}

function moreText(count: bigint): string {
  return count > 1n ? `, and ${count - 1n} more` : '';
}

function eventText(event: BoundEvent): string {
  const name = event.attributes?.['name'];
  return name === undefined ? placeText(event) : `${name} at ${event.probe}`;
}

/** Returns the actual and the required value of a failed comparison with a literal. */
function comparisonText(
  { condition, label }: Extract<UnmetPart, { kind: 'condition' }>,
  evidence: Evidence,
  nearestValue: TermValue | undefined,
): readonly [string, string] | undefined {
  if (condition.kind !== 'comparison') return undefined;
  const { left, right } = condition;
  const literal = [right, left].find(isLiteral);
  if (literal === undefined) return undefined;
  const [operand, comparator] =
    literal === right
      ? [left, condition.comparator]
      : [right, MIRRORED_COMPARATORS[condition.comparator]];
  const isDuration = literal.kind === 'duration';
  const limit = literal.kind === 'string' ? quote(literal.value) : printOperand(literal);
  return [
    operandText(operand, label, evidence, nearestValue, isDuration),
    wantedText(comparator, limit),
  ];
}

function operandText(
  operand: Operand,
  label: string | undefined,
  evidence: Evidence,
  nearestValue: TermValue | undefined,
  isDuration: boolean,
): string {
  if (operand.kind === 'attribute') return attributeText(operand, label, evidence, isDuration);
  const text = printOperand(operand);
  if (nearestValue?.is !== 'number') {
    return [
      text,
      ...attributesIn(operand).map((attribute) => attributeText(attribute, label, evidence)),
    ].join(', ');
  }
  const value = showTerm(nearestValue);
  return `${text} = ${isDuration ? lengthText(value) : value}`;
}

/** Lists a condition's attributes with their values. */
function valuesText(condition: Condition, label: string | undefined, evidence: Evidence): string {
  const leaves = leavesOf(condition)
    .flatMap(attributesOf)
    .filter(({ path }) => Object.hasOwn(evidence.binding, path[0]?.text ?? ''));
  return [...new Set(leaves.map((attribute) => attributeText(attribute, label, evidence)))].join(
    ', ',
  );
}

/**
 * Formats an attribute's name and value.
 *
 * @param label the common label of all attributes, which the text omits
 */
function attributeText(
  { path }: Attribute,
  label: string | undefined,
  { binding, durations = [] }: Evidence,
  isDuration = false,
): string {
  const [first, ...attributePath] = path as [Name, ...Name[]];
  const name = dotted(attributePath);
  const event = binding[first.text] as BoundEvent;
  const { attributes = {}, ...position } = event;
  const properties: Readonly<Record<string, EventValue | undefined>> = {
    ...position,
    ...attributes,
  };
  const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const title = label === undefined ? `${first.text}.${name}` : name;
  if (value === undefined) return `no ${title}`;
  if (typeof value === 'string') return `${title} ${quote(value)}`;
  if (typeof value === 'boolean') return `${title} ${value}`;
  if (isDuration || durations.includes(name)) return `${title} ${lengthText(String(value))}`;
  if (name === 'time' && typeof value !== 'string')
    return `${title} ${timeText(BigInt(Math.floor(Number(value))))}`;
  return `${title} ${value}`;
}

/** Formats a duration given in nanoseconds. */
function lengthText(nanoseconds: string): string {
  const isWhole = /^-?\d+$/.test(nanoseconds);
  return nanosecondsText(isWhole ? BigInt(nanoseconds) : Number(nanoseconds));
}

function isLiteral(operand: Operand): operand is Literal {
  return operand.kind !== 'attribute' && 'value' in operand;
}
