import {
  ACTION_TIMEOUT,
  type Activity,
  activityOf,
  formatRange,
  formatValue,
  MAX_ACTIVE,
  type Mutation,
  type Mutator,
  type Option,
  type Parameter,
} from '../../mutators/index.js';
import {
  type NamedCell,
  renderFacts,
  renderTable,
  type TableStyle,
} from '../../reporters/terminal/index.js';
import { type AttributeValue, durationText, equals, toJson } from '../../values/index.js';
import { idText } from '../config/server.js';

/** Maximum number of options listed for a parameter in the mutator table. */
const MOST_OPTIONS = 8;

export function mutatorTable(mutators: readonly Mutator[], look: TableStyle): string {
  if (mutators.length === 0) return 'no mutators\n';
  const rows = mutators.map((mutator) => {
    const { id, name, probe, layer, operation, parameters } = mutator;
    const known = [name, probe, layer, operation].map((cell) => cell ?? '');
    const [, activity] = activityOf(mutator);
    return [
      id,
      ...known,
      activity === undefined ? '' : activityText(activity),
      parameters.map(summaryOf),
    ];
  });
  const head = ['ID', 'NAME', 'PROBE', 'LAYER', 'OPERATION', 'ACTIVE?', 'PARAMETERS'];
  return renderTable(head, rows, look);
}

/**
 * Formats a mutation's start time and, if the server limits the mutation's duration, the end time.
 */
function activityText({ since, until }: Activity): string {
  const text = (ms: number) => new Date(ms).toISOString();
  return `since ${text(since)}${until === undefined ? '' : `, until ${text(until)}`}`;
}

/** Returns the note about a server that refuses mutations. */
export function stopNote(since: string): string {
  return `stopped at ${since}: refusing mutations until you run "perturb mutators stop --release"`;
}

export function mutatorPage(listed: Mutator, look: TableStyle): string {
  const [mutator, activity] = activityOf(listed);
  const { source, parameters } = mutator;
  const facts: readonly NamedCell[] = [
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
    ['active', activity && activityText(activity)],
    ['mutation', activity?.mutation],
    ['source file', source?.file],
    ['source line', source?.line?.toString()],
    ...[...mutator.attributes].map(attributeFact),
  ];
  const table = parameters.length === 0 ? 'no parameters\n' : parameterTable(parameters, look);
  const more = parameters.flatMap(({ key, attributes }) =>
    [...attributes].map(([name, value]) => [`${key}.${name}`, formatValue(value)] as const),
  );
  const rest = more.length === 0 ? '' : `\n${renderFacts(more, look)}`;
  return `${renderFacts(facts, look)}\n${table}${rest}`;
}

/** Formats an attribute's name and value; durations as in a manifest. */
function attributeFact([key, value]: readonly [string, AttributeValue]): readonly [string, string] {
  const name = DURATIONS.get(key);
  return name !== undefined && value.type === 'nanoseconds'
    ? [name, durationText(Number(value.value) / 1e6)]
    : [key, formatValue(value)];
}

/** The manifest keys for duration attributes. */
const DURATIONS = new Map<string, string>([
  [MAX_ACTIVE, 'max_active'],
  [ACTION_TIMEOUT, 'timeout'],
]);

function parameterTable(parameters: readonly Parameter[], look: TableStyle): string {
  const rows = parameters.map((parameter) => [
    parameter.key,
    parameter.name,
    typeText(parameter),
    parameter.options?.map(optionText).join(' | ') ?? rangeText(parameter),
    parameter.units ?? '',
    showAs(parameter, parameter.default),
    showAs(parameter, parameter.leastEffect),
    parameter.distribution?.kind ?? '',
    parameter.distribution?.scaling ?? '',
    parameter.description ?? '',
  ]);
  const about = ['DEFAULT', 'LEAST EFFECT', 'DISTRIBUTION?', 'SCALING?', 'DESCRIPTION'];
  return renderTable(['KEY', 'NAME', 'TYPE', 'VALUES', 'UNITS', ...about], rows, look);
}

/**
 * Returns a parameter's type. For an enum, adds the type of its options unless they are strings.
 */
function typeText({ type, valueType }: Parameter): string {
  return type === 'enum' && valueType !== 'string' ? `enum of ${valueType}` : type;
}

/** Returns an option's name, with the value if it differs. */
function optionText({ name, value }: Option): string {
  return value.type === 'string' && value.value === name ? name : `${name} = ${formatValue(value)}`;
}

function summaryOf(parameter: Parameter): string {
  const { name, type, units } = parameter;
  return [`${name}:`, type, takes(parameter), units ?? ''].filter((part) => part !== '').join(' ');
}

/** Returns a parameter's options or hard range as text; empty if it has neither. */
function takes(parameter: Parameter): string {
  const { options } = parameter;
  if (options === undefined) return rangeText(parameter);
  const shown = options.slice(0, MOST_OPTIONS).map(({ name }) => name);
  const more = options.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' | ');
}

function rangeText({ hardRange }: Parameter): string {
  return hardRange === undefined ? '' : formatRange(hardRange);
}

export function mutationText(
  { id, parameters }: Mutator,
  mutation: Mutation,
  look: TableStyle,
): string {
  const facts = [...mutation.params].map(([key, value]) => {
    const parameter = parameters.find((one) => one.key === key);
    return [
      `  ${key}`,
      parameter === undefined ? formatValue(value) : showAs(parameter, value),
    ] as const;
  });
  return `injected ${mutation.id} into ${idText(id)}\n${renderFacts(facts, look)}`;
}

/**
 * Formats a parameter's value; for an enum, as the option's name. Returns an empty text for no
 * value.
 */
function showAs({ options }: Parameter, value: AttributeValue | undefined): string {
  if (value === undefined) return '';
  return options?.find((option) => equals(option.value, value))?.name ?? formatValue(value);
}

/** Converts a mutator to JSON with a manifest's keys. Omits absent properties. */
export function mutatorToJson(listed: Mutator): object {
  const [mutator, activity] = activityOf(listed);
  const { id, name, description, layer, group, operation, statefulness, safety } = mutator;
  const { source, probe, tags, parameters, attributes } = mutator;
  return {
    ...{ id, name, description, layer, group, operation, statefulness, safety },
    ...{ source, probe, tags },
    active: activity && {
      since: new Date(activity.since).toISOString(),
      until: activity.until === undefined ? undefined : new Date(activity.until).toISOString(),
      mutation: activity.mutation,
    },
    parameters: parameters.map(parameterToJson),
    attributes: attributesToJson(attributes),
  };
}

/** Returns attribute values by key as in requests: `5` is an integer, and `5.0` is a float. */
export function attributesToJson(values: ReadonlyMap<string, AttributeValue>): object {
  return Object.fromEntries([...values].map(([key, value]) => [key, toJson(value)]));
}

function parameterToJson(parameter: Parameter): object {
  const { key, name, type, hardRange, usualRange, options, units, description, distribution } =
    parameter;
  const at = (value: AttributeValue | undefined) => value && toJson(value);
  return {
    ...{ key, name, type },
    value_type: parameter.valueType,
    hard_range: hardRange && { lower: at(hardRange.lower), upper: at(hardRange.upper) },
    usual_range: usualRange && { lower: at(usualRange.lower), upper: at(usualRange.upper) },
    options: options?.map((option) => ({ name: option.name, value: toJson(option.value) })),
    default: at(parameter.default),
    least_effect: at(parameter.leastEffect),
    ...{ units, description },
    distribution: distribution?.kind,
    scaling: distribution?.scaling,
    attributes: attributesToJson(parameter.attributes),
  };
}
