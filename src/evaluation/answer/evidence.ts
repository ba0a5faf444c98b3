import {
  type Attribute,
  attributeNames,
  attributesIn,
  type Expression,
  isOfSession,
  type Name,
  type Operand,
  printOperand,
  type Unit,
  unitsOf,
  visit,
} from '../../expression/index.js';
import { integerAt, type Session, ValueKind } from '../../session/index.js';
import { itemAt } from '../../source/index.js';
import { showTerm, valueOfNumber } from '../exact/term-value.js';
import { numberOf } from '../methods/binding-tests.js';
import { Matches } from '../order/matches.js';
import { makeScope } from '../query/build-query.js';
import { buildOperand } from '../query/operand.js';
import type { SessionTimes } from '../query/query.js';
import type { EventPlace, EventValue, Evidence, EvidenceValue } from './result.js';
import type { FoundEvidence } from './source.js';

/** Attributes that identify an event in other tools. Always reported if present. */
const ALWAYS = ['name', 'time', 'trace.id', 'span.id'];
/** Attributes that an event's position already contains. */
const POSITION_NAMES = new Set(['probe', 'timeline', 'seq']);

/** Returns the attribute names that an expression's evidence reports. */
export function reportedNames(expression: Expression): string[] {
  return [...new Set([...ALWAYS, ...attributeNames(expression)])];
}

/** The evidence's session, with its times and the events' positions. */
export interface EvidenceSource {
  /** Contains at least the evidence's events. */
  readonly session: Session;
  readonly times: () => SessionTimes;
  readonly placeOf: (event: number) => EventPlace;
}

/** Describes bindings for a report, with the events' attributes and the values of the expression's arithmetic. */
export function describe(
  source: EvidenceSource,
  expression: Expression,
  evidence: readonly FoundEvidence[],
): Evidence[] {
  if (evidence.length === 0) return [];
  const { session, placeOf } = source;
  const { durations } = unitsOf(expression);
  const names = reportedNames(expression).filter((name) => !POSITION_NAMES.has(name));
  const calculations = findCalculations(expression);
  return evidence.map(({ why, of, events }) => {
    const binding = Object.fromEntries(
      [...events].map(([label, event]) => {
        const attributes = attributeValues(session, event, names);
        return [label, { ...placeOf(event), attributes }];
      }),
    );
    const values = calculations.flatMap(
      (arithmetic) => calculate(source, arithmetic, events) ?? [],
    );
    return {
      ...{ why, ...(of !== undefined && { of }), binding },
      ...(values.length > 0 && { values }),
      ...(durations.length > 0 && { durations }),
    };
  });
}

function attributeValues(session: Session, event: number, names: readonly string[]) {
  const attributes = names.flatMap((name) => {
    const value = eventValue(session, event, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(attributes);
}

function eventValue(
  { columns, texts }: Session,
  event: number,
  name: string,
): EventValue | undefined {
  const column = columns.get(name);
  switch (column?.kinds[event]) {
    case ValueKind.integer: {
      const value = integerAt(column, event);
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
    case ValueKind.float: {
      const value = itemAt(column.numbers, event);
      return Number.isFinite(value) ? value : String(value);
    }
    case ValueKind.boolean:
      return itemAt(column.numbers, event) === 1;
    case ValueKind.string:
    case ValueKind.other:
      return texts[itemAt(column.numbers, event)];
    default:
      return undefined;
  }
}

/** Arithmetic over events, such as `b.time - a.time`. */
interface Calculation {
  readonly operand: Operand;
  readonly labels: readonly string[];
  readonly text: string;
  readonly unit: Unit | undefined;
}

/**
 * Lists the distinct arithmetic operands of FILTER and AGGREGATE that refer to events, and the time differences of
 * WITHIN.
 */
function findCalculations(expression: Expression): readonly Calculation[] {
  const bound = new Set(expression.match.patterns.map(({ label }) => label.text));
  const units = unitsOf(expression);
  const byText = new Map<string, Calculation>();
  const add = (operand: Operand): boolean => {
    const attributes = attributesIn(operand);
    const label = ({ path }: Attribute) => (path[0] as Name).text;
    const labels = [
      ...new Set(attributes.filter((attribute) => !isOfSession(attribute, bound)).map(label)),
    ].filter((label) => bound.has(label));
    if (labels.length === 0) return true;
    const text = printOperand(operand);
    byText.set(text, { operand, labels, text, unit: units.of(operand) });
    return false;
  };
  for (const relation of expression.when?.relations ?? []) {
    if (relation.kind !== 'chain' || relation.within === undefined) continue;
    const [from, to] = [relation.labels[0], relation.labels.at(-1)];
    if (from && to && from.text !== to.text) add(timeBetween(from, to));
  }
  // In AGGREGATE, terms are arithmetic over function values. Only the functions' arguments refer to events.
  const arithmetic = (node: unknown) => add(node as Operand);
  const visitor = { sum: arithmetic, product: arithmetic, abs: arithmetic };
  for (const clause of [expression.filter, expression.aggregate]) {
    if (clause !== undefined) visit(clause, visitor);
  }
  return [...byText.values()];
}

/** Returns the operand `to.time - from.time`. */
export function timeBetween(from: Name, to: Name): Operand {
  const { span } = to;
  const time = (label: Name): Attribute => {
    return { kind: 'attribute', span, path: [label, { kind: 'name', span, text: 'time' }] };
  };
  const steps = [{ sign: '-' as const, signSpan: span, operand: time(from) }];
  return { kind: 'sum', span, first: time(to), rest: steps };
}

/** Computes an operand in a binding; undefined if the binding lacks a label or the operand has no value. */
function calculate(
  { session, times }: EvidenceSource,
  { operand, labels, text, unit }: Calculation,
  events: FoundEvidence['events'],
): EvidenceValue | undefined {
  if (!labels.every((label) => events.has(label))) return undefined;
  const scope = makeScope({ bound: new Set(labels), times }, labels);
  const lists = labels.map(
    (label) => new Matches(session, Int32Array.of(events.get(label) as number)),
  );
  const value = numberOf(
    session,
    buildOperand(operand, scope),
    lists,
  )(new Int32Array(labels.length));
  if (value === undefined) return undefined;
  return { text, value: showTerm(valueOfNumber(value)), ...(unit !== undefined && { unit }) };
}
