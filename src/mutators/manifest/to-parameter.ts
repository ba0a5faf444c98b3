import { toAttribute } from '../../actuators/index.js';
import type { TomlDocument } from '../../toml/index.js';
import { defined } from '../../values/index.js';
import { accept, type Parameter } from '../model/parameter.js';
import type { ParamDraft } from './draft.js';
import { readRange, type Scalar } from './read-range.js';

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
