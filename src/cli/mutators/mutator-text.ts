import {
  formatRange,
  MAX_ACTIVE,
  type Mutation,
  type Mutator,
  type Parameter,
  show,
} from '../../mutators/index.js';
import {
  type AttributeValue,
  equals,
  type Json,
  type JsonObject,
  jsonNumber,
  toJson,
} from '../../values/index.js';
import { idText } from '../config/server.js';
import { durationText } from '../terminal/duration-text.js';
import { renderFacts, renderTable, type TableLook } from '../terminal/table.js';

/** How many options of a parameter the table of all mutators shows. */
const MOST_OPTIONS = 8;

/** The mutators as a table, a row for each. */
export function mutatorTable(mutators: readonly Mutator[], look: TableLook): string {
  if (mutators.length === 0) return 'no mutators\n';
  const rows = mutators.map(({ id, name, probe, layer, operation, parameters }) => [
    id,
    name ?? '',
    probe ?? '',
    layer ?? '',
    operation ?? '',
    parameters.map(summaryOf),
  ]);
  return renderTable(['ID', 'NAME', 'PROBE', 'LAYER', 'OPERATION', 'PARAMETERS'], rows, look);
}

/** All that is known of one mutator. */
export function mutatorPage(mutator: Mutator, look: TableLook): string {
  const { source, parameters } = mutator;
  const known: readonly (readonly [string, string | undefined])[] = [
    ['id', mutator.id],
    ['name', mutator.name],
    ['description', mutator.description],
    ['probe', mutator.probe],
    ['layer', mutator.layer],
    ['group', mutator.group],
    ['operation', mutator.operation],
    ['statefulness', mutator.statefulness],
    ['safety', mutator.safety],
    ['tags', mutator.tags.length > 0 ? mutator.tags.join(', ') : undefined],
    ['source file', source?.file],
    ['source line', source?.line?.toString()],
    ...[...mutator.attributes].map(attributeFact),
  ];
  const facts = known.flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  const table = parameters.length === 0 ? 'no parameters\n' : parameterTable(parameters, look);
  return `${renderFacts(facts, look)}\n${table}`;
}

/** An attribute by its name; the time after which a mutation is reset as a manifest writes it. */
function attributeFact([key, value]: readonly [string, AttributeValue]): readonly [string, string] {
  return key === MAX_ACTIVE && value.type === 'nanoseconds'
    ? ['max_active', durationText(String(Number(value.value) / 1e6))]
    : [key, show(value)];
}

function parameterTable(parameters: readonly Parameter[], look: TableLook): string {
  const rows = parameters.map((parameter) => [
    parameter.key,
    parameter.name,
    parameter.type,
    takes(parameter, Number.POSITIVE_INFINITY),
    parameter.units ?? '',
    showAs(parameter, parameter.default),
    showAs(parameter, parameter.leastEffect),
    parameter.description ?? '',
  ]);
  return renderTable(
    ['KEY', 'NAME', 'TYPE', 'TAKES', 'UNITS', 'DEFAULT', 'LEAST EFFECT', 'DESCRIPTION'],
    rows,
    look,
  );
}

function summaryOf(parameter: Parameter): string {
  const { name, type, units } = parameter;
  return [`${name}:`, type, takes(parameter, MOST_OPTIONS), units ?? '']
    .filter((part) => part !== '')
    .join(' ');
}

/** Which values a parameter takes beyond its type: its options or its hard range. */
function takes({ options, hardRange }: Parameter, most: number): string {
  if (options !== undefined) {
    const shown = options.slice(0, most).map(({ name }) => name);
    const more = options.length - shown.length;
    return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' | ');
  }
  return hardRange === undefined ? '' : formatRange(hardRange);
}

/** A mutation that was made, with the values of its parameters. */
export function mutationText(
  { id, parameters }: Mutator,
  mutation: Mutation,
  look: TableLook,
): string {
  const facts = [...mutation.params].map(([key, value]) => {
    const parameter = parameters.find((one) => one.key === key);
    return [`  ${key}`, parameter === undefined ? show(value) : showAs(parameter, value)] as const;
  });
  return `injected ${mutation.id} into ${idText(id)}\n${renderFacts(facts, look)}`;
}

/** A value of a parameter, of an enum by the name of the option; nothing for none. */
function showAs({ options }: Parameter, value: AttributeValue | undefined): string {
  if (value === undefined) return '';
  return options?.find((option) => equals(option.value, value))?.name ?? show(value);
}

/** A mutator for scripts. Keys are those of a manifest; what a mutator does not have is absent. */
export function mutatorToJson(mutator: Mutator): JsonObject {
  const { source } = mutator;
  return present({
    id: mutator.id,
    name: mutator.name,
    description: mutator.description,
    layer: mutator.layer,
    group: mutator.group,
    operation: mutator.operation,
    statefulness: mutator.statefulness,
    safety: mutator.safety,
    source:
      source &&
      present({
        file: source.file,
        line: source.line === undefined ? undefined : jsonNumber(String(source.line)),
      }),
    probe: mutator.probe,
    tags: mutator.tags,
    parameters: mutator.parameters.map(parameterToJson),
    attributes: attributesToJson(mutator.attributes),
  });
}

/** Attribute values by key, as they go over the wire: `5` is an integer and `5.0` a float. */
export function attributesToJson(values: ReadonlyMap<string, AttributeValue>): JsonObject {
  return Object.fromEntries([...values].map(([key, value]) => [key, toJson(value)]));
}

function parameterToJson(parameter: Parameter): JsonObject {
  const { hardRange, options, distribution } = parameter;
  return present({
    key: parameter.key,
    name: parameter.name,
    type: parameter.type,
    value_type: parameter.valueType,
    hard_range: hardRange && present({ lower: at(hardRange.lower), upper: at(hardRange.upper) }),
    options: options?.map(({ name, value }) => ({ name, value: toJson(value) })),
    default: at(parameter.default),
    least_effect: at(parameter.leastEffect),
    units: parameter.units,
    description: parameter.description,
    distribution: distribution?.kind,
    scaling: distribution?.scaling,
    attributes: attributesToJson(parameter.attributes),
  });
}

function at(value: AttributeValue | undefined): Json | undefined {
  return value && toJson(value);
}

/** An object without the members that are undefined. */
function present(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const entries = Object.entries(members).filter((entry) => entry[1] !== undefined);
  return Object.fromEntries(entries as [string, Json][]);
}
