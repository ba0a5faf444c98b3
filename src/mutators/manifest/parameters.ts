import { toAttribute } from '../../actuators/index.js';
import type { Violation } from '../../diagnostics/index.js';
import type { TomlDocument } from '../../toml/index.js';
import {
  type AttributeValue,
  convert,
  defined,
  titleOf,
  type ValueType,
} from '../../values/index.js';
import { accept, type HardRange, type Parameter, rangeProblem, show } from '../model/parameter.js';
import type { ParamDraft } from './draft.js';

/** A value of a manifest that is neither an array nor a table. */
type Scalar = string | bigint | number | boolean;

/** The hard range of a parameter, and what is wrong with it; then the range is open. */
export function readRange(
  document: TomlDocument,
  { path, keys }: ParamDraft,
): { readonly range: HardRange; readonly violations: readonly Violation[] } {
  const { type, hard_range: written } = keys;
  if (written === undefined || type === undefined) return { range: {}, violations: [] };
  const at = (...more: (string | number)[]) => document.valueSpan([...path, 'hard_range', ...more]);
  const wrong = (...violations: Violation[]) => ({ range: {}, violations });
  if (type === 'boolean' || type === 'enum') {
    const message = `a hard range is for numbers and strings, found one for ${aType(type)}`;
    return wrong({ message, span: document.keySpan([...path, 'hard_range']) });
  }
  if (written.length !== 2) {
    const message = `a hard range has two bounds, found ${written.length}`;
    return wrong({ message, help: 'write [lower, upper]', span: at() });
  }
  const [lower, upper] = written;
  // One that is no scalar has its finding already.
  if (lower === undefined || upper === undefined) return wrong();
  const bounds = [readBound(lower, 'lower', type), readBound(upper, 'upper', type)] as const;
  const violations = bounds.flatMap((bound, index) =>
    'problem' in bound ? [{ message: bound.problem, span: at(index) }] : [],
  );
  if (violations.length > 0) return wrong(...violations);
  const range = defined({ lower: valueOfBound(bounds[0]), upper: valueOfBound(bounds[1]) });
  const message = rangeProblem(range, type);
  return message === undefined ? { range, violations: [] } : wrong({ message, span: at() });
}

type Bound = { readonly value?: AttributeValue } | { readonly problem: string };

function valueOfBound(bound: Bound): AttributeValue | undefined {
  return 'value' in bound ? bound.value : undefined;
}

function readBound(written: Scalar, side: 'lower' | 'upper', type: ValueType): Bound {
  const open = side === 'lower' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (written === open && type !== 'string') return {};
  const bound = toAttribute(written);
  if (written === -open && type !== 'string') {
    return { problem: `no value is within the ${side} bound ${show(bound)}` };
  }
  const problem = rangeProblem({ lower: bound }, type);
  if (problem !== undefined) return { problem };
  const value = convert(bound, type);
  return value === undefined ? {} : { value };
}

function aType(type: 'boolean' | 'enum'): string {
  return type === 'enum' ? 'an enum' : titleOf(type);
}

/**
 * The parameter that a table of a manifest describes, as far as it is without
 * findings; undefined without a name or a type, and for an enum without options.
 */
export function toParameter(document: TomlDocument, param: ParamDraft): Parameter | undefined {
  const { keys, key } = param;
  const { name, type, units, description, distribution: kind, scaling } = keys;
  if (name === undefined || type === undefined) return undefined;
  const { range } = readRange(document, param);
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
  const accepted = (value: Scalar | undefined) => {
    const result = value === undefined ? undefined : accept(base, toAttribute(value));
    return result !== undefined && 'value' in result ? result.value : undefined;
  };
  return {
    ...base,
    ...defined({ default: accepted(keys.default), leastEffect: accepted(keys.least_effect) }),
  };
}
