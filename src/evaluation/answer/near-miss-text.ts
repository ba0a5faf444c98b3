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
  MIRRORED,
  type Name,
  type Operand,
  printOperand,
} from '../../expression/index.js';
import { nanosecondsText, timeText } from '../../values/index.js';
import { showTerm, type TermValue } from '../exact/term-value.js';
import { placeText } from './listing.js';
import type { Failing, Relaxed } from './relax.js';
import type { BoundEvent, EventValue, Evidence } from './result.js';

const WANTED: Readonly<Record<Comparator, string>> = {
  '<': 'below ',
  '<=': 'at most ',
  '>': 'above ',
  '>=': 'at least ',
  '=': '',
  '!=': 'anything but ',
};

/** A comparison as something that is wanted: `at most 500`. */
export function wantedText(comparator: Comparator, limit: string): string {
  return `${WANTED[comparator]}${limit}`;
}

/**
 * Describes a near miss, as in `HEARTBEAT at AUTOPILOT came after 250ms, limit 100ms`.
 *
 * @param count the number of bindings that fail in the same way
 * @param value of the nearest operand
 */
export function nearMissText(
  { failing, part }: Pick<Relaxed, 'failing' | 'part'>,
  evidence: Evidence,
  count: bigint,
  value: TermValue | undefined,
): string {
  const { binding } = evidence;
  const name = (label: string) => eventText(binding[label] as BoundEvent);
  const apart = ({ from, to }: { readonly from: string; readonly to: string }) =>
    timeBetween(binding[from] as BoundEvent, binding[to] as BoundEvent);
  switch (failing.kind) {
    case 'text': {
      const events = Object.keys(binding).length > 1 ? 'binding' : 'event';
      const matches = count === 1n ? `1 ${events} matches` : `${count} ${events}s match`;
      return `${matches} except ${failing.attribute}: ${quote(failing.actual)}`;
    }
    case 'present':
      return `${name(failing.label)} should not be there`;
    case 'late': {
      const limit = `limit ${printOperand(failing.limit)}`;
      return `${name(failing.to)} came after ${apart(failing)}, ${limit}${more(count)}`;
    }
    case 'before': {
      const { from, to } = failing;
      const lead = apart({ from: to, to: from });
      const before = lead === undefined ? 'before' : `${lead} before`;
      return `${name(to)} came ${before} ${name(from)}${more(count)}`;
    }
    case 'unordered': {
      const delay = apart(failing);
      const later = delay === undefined ? '' : `, though its time is ${delay} later`;
      return `nothing orders ${name(failing.to)} after ${name(failing.from)}${later}${more(count)}`;
    }
    case 'ordered':
      return `${name(failing.to)} came after ${name(failing.from)}, wanted unordered${more(count)}`;
    case 'condition': {
      const { label, condition } = failing;
      const subject = label === undefined ? '' : `${name(label)}: `;
      const description =
        comparisonText(failing, evidence, value) ?? valuesText(condition, label, evidence);
      const [what, wanted] =
        typeof description === 'string' ? [description, part.text] : description;
      return `${subject}${what}, wanted ${wanted}${more(count)}`;
    }
  }
}

/** Undefined if one of the events has no time, or the second is earlier. */
function timeBetween(from: BoundEvent, to: BoundEvent): string | undefined {
  const [start, end] = [from, to].map(({ attributes }) => attributes?.['time']);
  if (typeof start === 'string' || typeof end === 'string') return undefined;
  if (start === undefined || end === undefined || end < start) return undefined;
  const isWhole = Number.isInteger(Number(start)) && Number.isInteger(Number(end));
  return nanosecondsText(isWhole ? BigInt(end) - BigInt(start) : Number(end) - Number(start));
}

function more(count: bigint): string {
  return count > 1n ? `, and ${count - 1n} more` : '';
}

function eventText(event: BoundEvent): string {
  const name = event.attributes?.['name'];
  return name === undefined ? placeText(event) : `${name} at ${event.probe}`;
}

/** Describes a comparison with a literal: the actual value, and the required one. */
function comparisonText(
  { condition, label }: Extract<Failing, { kind: 'condition' }>,
  evidence: Evidence,
  nearest: TermValue | undefined,
): readonly [string, string] | undefined {
  if (condition.kind !== 'comparison') return undefined;
  const { left, right } = condition;
  const literal = [right, left].find(isLiteral);
  if (literal === undefined) return undefined;
  const [operand, comparator] =
    literal === right ? [left, condition.comparator] : [right, MIRRORED[condition.comparator]];
  const isDuration = literal.kind === 'duration';
  const limit = literal.kind === 'string' ? quote(literal.value) : printOperand(literal);
  return [
    operandText(operand, label, evidence, nearest, isDuration),
    wantedText(comparator, limit),
  ];
}

function operandText(
  operand: Operand,
  label: string | undefined,
  evidence: Evidence,
  nearest: TermValue | undefined,
  isDuration: boolean,
): string {
  if (operand.kind === 'attribute') return attributeText(operand, label, evidence, isDuration);
  const text = printOperand(operand);
  if (nearest?.is !== 'number') {
    return [
      text,
      ...attributesIn(operand).map((attribute) => attributeText(attribute, label, evidence)),
    ].join(', ');
  }
  const value = showTerm(nearest);
  return `${text} = ${isDuration ? lengthText(value) : value}`;
}

/** Lists the attributes that a condition mentions, with their values. */
function valuesText(condition: Condition, label: string | undefined, evidence: Evidence): string {
  const all = leavesOf(condition)
    .flatMap(attributesOf)
    .filter(({ path }) => Object.hasOwn(evidence.binding, path[0]?.text ?? ''));
  return [...new Set(all.map((attribute) => attributeText(attribute, label, evidence)))].join(', ');
}

/** @param label omitted from the text: the label of every attribute */
function attributeText(
  { path }: Attribute,
  label: string | undefined,
  { binding, durations = [] }: Evidence,
  isDuration = false,
): string {
  const [first, ...rest] = path as [Name, ...Name[]];
  const name = dotted(rest);
  const event = binding[first.text] as BoundEvent;
  const { attributes = {}, ...place } = event;
  const properties: Readonly<Record<string, EventValue | undefined>> = { ...place, ...attributes };
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

/** Formats a number of nanoseconds for people. */
function lengthText(nanoseconds: string): string {
  const isWhole = /^-?\d+$/.test(nanoseconds);
  return nanosecondsText(isWhole ? BigInt(nanoseconds) : Number(nanoseconds));
}

function isLiteral(operand: Operand): operand is Literal {
  return operand.kind !== 'attribute' && 'value' in operand;
}
