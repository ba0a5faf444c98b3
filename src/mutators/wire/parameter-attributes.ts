import { quote } from '../../diagnostics/index.js';
import type { AttributeValue, Shape } from '../../values/index.js';
import {
  convert,
  defined,
  titleOf,
  typeNamed,
  type ValueType,
  wireName,
  wireNames,
} from '../../values/index.js';
import { AttributeReader, type Attributes } from '../model/attribute-reader.js';
import {
  accept,
  contains,
  DISTRIBUTION_KINDS,
  DISTRIBUTION_SCALINGS,
  findRangeProblem,
  formatRange,
  formatValue,
  type Option,
  type Parameter,
  toTypedRange,
} from '../model/parameter.js';

const OPTION = 'value_distribution.option_set.';

/** The prefix of parameters' attributes. */
export const PARAMETER_PREFIX = 'mutator.params.';

/** Returns the parameter key in an attribute's key; undefined if the attribute does not describe a parameter. */
export function parameterKeyIn(attribute: string): string | undefined {
  const dot = attribute.startsWith(PARAMETER_PREFIX)
    ? attribute.indexOf('.', PARAMETER_PREFIX.length)
    : -1;
  return dot === -1 ? undefined : attribute.slice(PARAMETER_PREFIX.length, dot);
}

/** Suffixes of attributes whose values have the parameter's type. */
const VALUES: readonly string[] = [
  ...['value_min', 'value_max', 'usual_min', 'usual_max', 'default_value', 'least_effect_value'],
];

/**
 * True if an attribute's value must have the parameter's type.
 *
 * @param key the parameter's key
 */
export function holdsValueOf(key: string, attribute: string): boolean {
  const start = `${PARAMETER_PREFIX}${key}.`;
  if (!attribute.startsWith(start)) return false;
  const suffix = attribute.slice(start.length);
  return VALUES.includes(suffix) || suffix.startsWith(OPTION);
}

/** A parameter, with warnings about it. The parameter is absent if it is malformed. */
export interface ParameterReading {
  readonly parameter?: Parameter;
  readonly warnings: readonly string[];
}

/**
 * Reads a parameter from its attributes, whose keys lack the prefix `mutator.params.<key>.`.
 *
 * @param shape the JSON shape of the parameter's values, if known
 */
export function parameterFromAttributes(
  key: string,
  attributes: Attributes,
  shape?: Shape,
): ParameterReading {
  const omit = (reason: string) => ({
    warnings: [`parameter ${quote(key)} is skipped: ${reason}`],
  });
  if (!/^[\0-\x7f]+$/.test(key)) return omit('its key is empty or not ASCII');
  const reader = new AttributeReader(attributes);
  for (const requiredKey of ['name', 'value_type']) {
    if (!reader.remaining.has(requiredKey)) return omit(`it has no "${requiredKey}"`);
  }
  const name = reader.text('name');
  const valueType = reader.take('value_type', `one of ${wireNames.join(', ')}`, (value) =>
    value.type === 'string' ? typeNamed(value.value) : undefined,
  );
  const takeBound = (bound: string) => reader.take(bound, 'a value', (value) => value);
  const hardRange = defined({ lower: takeBound('value_min'), upper: takeBound('value_max') });
  const writtenOptions = takeOptions(reader);
  if (name === undefined || valueType === undefined) return omit(reader.warnings.join('; '));
  const problem =
    findRangeProblem(hardRange, valueType) ?? optionsProblem(writtenOptions, valueType);
  if (problem !== undefined) return omit(problem);
  const options = typedOptions(writtenOptions, valueType);

  const base: Parameter = {
    key,
    name,
    type: options.length > 0 ? 'enum' : valueType,
    valueType,
    ...(Object.keys(hardRange).length > 0 && { hardRange }),
    ...(options.length > 0 && { options }),
    // For other types, bare numbers are ordinary values.
    ...(shape !== undefined && (shape !== 'bare' || valueType === 'bigInteger') && { shape }),
    attributes: reader.remaining,
  };
  const usualBounds = defined({
    lower: takeValue(reader, 'usual_min', base),
    upper: takeValue(reader, 'usual_max', base),
  });
  const usualProblem = findRangeProblem(usualBounds, valueType);
  const parameter: Parameter = {
    ...base,
    ...(usualProblem === undefined &&
      Object.keys(usualBounds).length > 0 && { usualRange: usualBounds }),
    ...defined({
      default: takeValue(reader, 'default_value', base),
      leastEffect: takeValue(reader, 'least_effect_value', base),
      units: reader.text('units'),
      description: reader.text('description'),
    }),
    ...distributionOf(reader),
  };
  const rangeWarnings =
    usualProblem === undefined ? [] : [`ignoring its usual range: ${usualProblem}`];
  const warnings = [...reader.warnings, ...rangeWarnings, ...optionsOutside(parameter)].map(
    (warning) => `parameter ${quote(key)}: ${warning}`,
  );
  return { parameter, warnings };
}

/** Returns a parameter's attributes, with keys that lack the prefix `mutator.params.<key>.`. */
export function parameterToAttributes(parameter: Parameter): Attributes {
  const { hardRange, usualRange, distribution } = parameter;
  const text = (value: string | undefined): AttributeValue | undefined =>
    value === undefined ? undefined : { type: 'string', value };
  const standardAttributes = defined({
    name: text(parameter.name),
    value_type: text(wireName(parameter.valueType)),
    description: text(parameter.description),
    value_min: hardRange?.lower,
    value_max: hardRange?.upper,
    usual_min: usualRange?.lower,
    usual_max: usualRange?.upper,
    units: text(parameter.units),
    default_value: parameter.default,
    least_effect_value: parameter.leastEffect,
    'value_distribution.kind': text(distribution?.kind),
    'value_distribution.scaling': text(distribution?.scaling),
  });
  const options = (parameter.options ?? []).map(
    ({ name, value }) => [`${OPTION}${name}`, value] as const,
  );
  return new Map([...Object.entries(standardAttributes), ...options, ...parameter.attributes]);
}

/** Reads a default or least effect. Drops a value that the parameter does not accept. */
function takeValue(reader: AttributeReader, key: string, parameter: Parameter) {
  return reader.take(key, 'a valid value for the parameter', (value) => {
    const acceptance = accept(parameter, value);
    return 'value' in acceptance ? acceptance.value : undefined;
  });
}

function takeOptions(reader: AttributeReader): Option[] {
  const options: Option[] = [];
  for (const [key, value] of reader.remaining) {
    if (!key.startsWith(OPTION) || key === OPTION) continue;
    reader.remaining.delete(key);
    options.push({ name: key.slice(OPTION.length), value });
  }
  return options;
}

function optionsProblem(options: readonly Option[], type: ValueType): string | undefined {
  const wrong = options.find((option) => convert(option.value, type) === undefined);
  if (wrong === undefined) return undefined;
  return `the option ${quote(wrong.name)} is ${formatValue(wrong.value)}, not ${titleOf(type)}`;
}

/** Converts options to the parameter's own type. In a float parameter, 10 becomes 10.0. */
function typedOptions(options: readonly Option[], type: ValueType): Option[] {
  return options.map(({ name, value }) => ({ name, value: convert(value, type) ?? value }));
}

/** Returns warnings about options outside the hard range. */
function optionsOutside(parameter: Parameter): string[] {
  const hardRange = toTypedRange(parameter);
  if (hardRange === undefined) return [];
  return (parameter.options ?? [])
    .filter(({ value }) => !contains(hardRange, value))
    .map(({ name, value }) => {
      const range = formatRange(hardRange);
      return `the option ${quote(name)} is ${formatValue(value)}, outside the hard range ${range}`;
    });
}

function distributionOf(reader: AttributeReader): Pick<Parameter, 'distribution'> {
  const distribution = defined({
    kind: reader.word('value_distribution.kind', DISTRIBUTION_KINDS),
    scaling: reader.word('value_distribution.scaling', DISTRIBUTION_SCALINGS),
  });
  return Object.keys(distribution).length > 0 ? { distribution } : {};
}
