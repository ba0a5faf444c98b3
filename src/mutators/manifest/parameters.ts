import { type Advice, type Violation, writing } from '../../diagnostics/index.js';
import type { TomlDocument } from '../../toml/index.js';
import {
  type AttributeValue,
  compare,
  convert,
  defined,
  titleOf,
  toAttribute,
  type ValueType,
} from '../../values/index.js';
import { accept, type HardRange, type Parameter } from '../model/parameter.js';
import type { ParamDraft } from './draft.js';

/** A scalar value in a manifest. */
type Scalar = string | bigint | number | boolean;

/** The keys for a parameter's ranges, and the ranges' titles in messages. */
const RANGES = { hard_range: 'a hard range', usual_range: 'a usual range' } as const;

/** Reads a parameter's range, and reports mistakes in it. Returns an open range for an invalid range. */
export function readRange(
  document: TomlDocument,
  { path, keys }: ParamDraft,
  rangeKey: keyof typeof RANGES,
): { readonly range: HardRange; readonly violations: readonly Violation[] } {
  const { type, [rangeKey]: written } = keys;
  if (written === undefined || type === undefined) return { range: {}, violations: [] };
  const spanOf = (...keyPath: (string | number)[]) =>
    document.valueSpan([...path, rangeKey, ...keyPath]);
  const invalid = (...violations: Violation[]) => ({ range: {}, violations });
  const isUsualText = type === 'string' && rangeKey === 'usual_range';
  if (type === 'boolean' || type === 'enum' || isUsualText) {
    const allowedTypes =
      rangeKey === 'hard_range' ? 'a number or string parameter' : 'a number parameter';
    const message = `${RANGES[rangeKey]} requires ${allowedTypes}, found ${aType(type)}`;
    return invalid({ message, span: document.keySpan([...path, rangeKey]) });
  }
  if (written.length !== 2) {
    const message = `expected two bounds, found ${written.length}`;
    return invalid({ message, help: 'use the form [lower, upper]', span: spanOf() });
  }
  const [lower, upper] = written;
  // A bound that is not a scalar has already been reported.
  if (lower === undefined || upper === undefined) return invalid();
  const boundText = (index: number) => {
    const { start, end } = spanOf(index);
    return document.file.text.slice(start, end);
  };
  const values = { lower: toAttribute(lower), upper: toAttribute(upper) };
  if ((compare(values.lower, values.upper) ?? 0) > 0) {
    const message = `the lower bound ${boundText(0)} is above the upper bound ${boundText(1)}`;
    return invalid({ message, span: spanOf() });
  }
  const bounds = [
    readBound(lower, 'lower', type, boundText(0)),
    readBound(upper, 'upper', type, boundText(1)),
  ] as const;
  const violations = bounds.flatMap((bound, index) =>
    bound.problem === undefined
      ? []
      : [{ message: bound.problem, ...wholeNumber(written[index], type), span: spanOf(index) }],
  );
  if (violations.length > 0) return invalid(...violations);
  return {
    range: defined({ lower: bounds[0].value, upper: bounds[1].value }),
    violations: [],
  };
}

/** A range's bound. An open side has neither a value nor a problem. */
interface Bound {
  readonly value?: AttributeValue;
  readonly problem?: string;
}

/** Suggests the equal integer for a whole float, unless the float is too large to be exact. */
function wholeNumber(value: Scalar | undefined, type: ValueType): Advice {
  return type === 'integer' && typeof value === 'number' && Number.isSafeInteger(value)
    ? writing(String(value))
    : {};
}

/**
 * Reads a range's bound.
 *
 * @param text the bound as written in the file, because formatting a float may change its digits
 */
function readBound(scalar: Scalar, side: 'lower' | 'upper', type: ValueType, text: string): Bound {
  const openBound = side === 'lower' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (scalar === openBound && type !== 'string') return {};
  const bound = toAttribute(scalar);
  if (scalar === -openBound && type !== 'string') {
    return { problem: `the ${side} bound ${text} excludes every finite value` };
  }
  const value = convert(bound, type);
  if (value === undefined) return { problem: `the bound ${text} is not ${titleOf(type)}` };
  return Number.isNaN(scalar) ? { problem: `${text} is not a bound` } : { value };
}

function aType(type: 'boolean' | 'enum' | 'string'): string {
  return type === 'enum' ? 'an enum' : titleOf(type);
}

/**
 * Converts a manifest's table to a parameter, without invalid values. Returns undefined for a parameter without a name
 * or a type, and for an enum without options.
 */
export function toParameter(document: TomlDocument, param: ParamDraft): Parameter | undefined {
  const { keys, key } = param;
  const { name, type, units, description, distribution: kind, scaling } = keys;
  if (name === undefined || type === undefined) return undefined;
  const { range } = readRange(document, param, 'hard_range');
  const options = [...new Set(keys.options?.filter((option) => option !== undefined))];
  if (type === 'enum' && options.length === 0) return undefined;
  const distribution = defined({ kind, scaling });
  const base: Parameter = {
    key,
    name,
    type,
    valueType: type === 'enum' ? 'string' : type,
    ...(Object.keys(range).length > 0 && { hardRange: range }),
    ...(type === 'enum' && {
      options: options.map((option) => ({ name: option, value: toAttribute(option) })),
    }),
    ...defined({ units, description }),
    ...(Object.keys(distribution).length > 0 && { distribution }),
    attributes: new Map(),
  };
  const acceptValue = (value: AttributeValue | undefined) => {
    const result = value && accept(base, value);
    return result !== undefined && 'value' in result ? result.value : undefined;
  };
  const acceptScalar = (value: Scalar | undefined) =>
    acceptValue(value === undefined ? undefined : toAttribute(value));
  const { lower, upper } = readRange(document, param, 'usual_range').range;
  const usualRange = defined({ lower: acceptValue(lower), upper: acceptValue(upper) });
  return {
    ...base,
    ...(Object.keys(usualRange).length > 0 && { usualRange }),
    ...defined({
      default: acceptScalar(keys.default),
      leastEffect: acceptScalar(keys.least_effect),
    }),
  };
}
