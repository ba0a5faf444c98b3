import { contains, type HardRange, type Parameter } from '../../mutators/model/index.js';
import { writeString } from '../../toml/index.js';
import {
  type AttributeValue,
  compare,
  convert,
  format,
  type ValueType,
} from '../../values/index.js';

/**
 * The line that constrains a parameter to all that it takes: its hard range as
 * `range`, or its options as `enum_options`. Of parameters of one name at
 * several mutators, what all of them take. Undefined where there is nothing to
 * write: a boolean, a parameter that is open on both sides, or values that an
 * objective cannot hold.
 */
export function settingFor(parameters: readonly Parameter[]): string | undefined {
  const [first, ...others] = parameters;
  if (first === undefined || others.some(({ type }) => type !== first.type)) return undefined;
  return first.options === undefined ? rangeOf(parameters) : optionsOf(parameters);
}

function optionsOf(parameters: readonly Parameter[]): string | undefined {
  const [first = [], ...others] = parameters.map(({ options = [] }) =>
    options.map(({ name }) => name),
  );
  const shared = first.filter((name) => others.every((names) => names.includes(name)));
  const written = shared.map(writeString).filter((option) => option !== undefined);
  return written.length === 0 ? undefined : `enum_options = [${written.join(', ')}]`;
}

function rangeOf(parameters: readonly Parameter[]): string | undefined {
  const { lower, upper } = intersection(parameters);
  if (lower === undefined && upper === undefined) return undefined;
  const { valueType } = parameters[0] as Parameter;
  const type = valueType === 'any' ? (lower ?? upper)?.type : valueType;
  const bounds = [lower ?? openSide('lower', type), upper ?? openSide('upper', type)];
  const written = bounds.map((bound) => bound && writeBound(bound, parameters));
  return written.includes(undefined) ? undefined : `range = [${written.join(', ')}]`;
}

/** The largest of the lower bounds and the smallest of the upper ones. */
function intersection(parameters: readonly Parameter[]): HardRange {
  const lowers = parameters.flatMap(({ hardRange }) => hardRange?.lower ?? []);
  const uppers = parameters.flatMap(({ hardRange }) => hardRange?.upper ?? []);
  const [lower] = lowers.sort((a, b) => compare(b, a) ?? 0);
  const [upper] = uppers.sort((a, b) => compare(a, b) ?? 0);
  return { ...(lower && { lower }), ...(upper && { upper }) };
}

/** What stands for an open side of values of a type. There is no last string. */
function openSide(
  side: 'lower' | 'upper',
  type: ValueType | undefined,
): AttributeValue | undefined {
  const isLower = side === 'lower';
  switch (type) {
    case 'float':
      return { type: 'float', value: isLower ? -Infinity : Infinity };
    case 'integer':
    case 'bigInteger':
      return { type: 'integer', value: isLower ? -(2n ** 63n) : 2n ** 63n - 1n };
    case 'string':
      return isLower ? { type: 'string', value: '' } : undefined;
    default:
      return undefined;
  }
}

/** A bound as it stands in a file, unless a parameter does not take what would stand there. */
function writeBound(bound: AttributeValue, parameters: readonly Parameter[]): string | undefined {
  const value = asWritten(bound);
  if (value === undefined) return undefined;
  const isTaken = parameters.every(
    ({ hardRange, valueType }) =>
      convert(value, valueType) !== undefined && contains(hardRange ?? {}, value),
  );
  if (!isTaken) return undefined;
  return value.type === 'string' ? writeString(value.value) : format(value);
}

/** The value that a TOML file can hold for a bound: a string, a float or an integer of 64 bits. */
function asWritten(bound: AttributeValue): AttributeValue | undefined {
  if (bound.type === 'string' || bound.type === 'float') return bound;
  if (bound.type === 'boolean' || typeof bound.value !== 'bigint') return undefined;
  return convert({ type: 'bigInteger', value: bound.value }, 'integer');
}
