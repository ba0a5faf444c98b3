import { toAttribute } from '../../../actuators/index.js';
import { quote, type ReportFn } from '../../../diagnostics/index.js';
import type { TomlDocument } from '../../../toml/index.js';
import { idFor } from '../../model/names.js';
import { accept } from '../../model/parameter.js';
import type { MutatorDraft, ParamDraft } from '../draft.js';
import { toParameter } from '../to-parameter.js';

/** Checks that the id of a mutator can be written in a path. */
export function checkMutatorId(
  document: TomlDocument,
  { path, keys: { id, name } }: MutatorDraft,
  report: ReportFn,
): void {
  const text = id ?? (name === undefined ? '' : idFor(name));
  if (text !== '.' && text !== '..') return;
  report({
    message: `${quote(text)} cannot be an id: URLs take it for a step in a path`,
    span: document.valueSpan([...path, id === undefined ? 'name' : 'id']),
  });
}

/** Checks the options, the default and the least effect of a parameter. */
export function checkParam(document: TomlDocument, param: ParamDraft, report: ReportFn): void {
  checkOptions(document, param, report);
  const parameter = toParameter(document, param);
  if (parameter === undefined) return;
  for (const key of ['default', 'least_effect'] as const) {
    const value = param.keys[key];
    const accepted = value === undefined ? undefined : accept(parameter, toAttribute(value));
    if (accepted === undefined || 'value' in accepted) continue;
    report({
      message: accepted.problem,
      ...(accepted.help !== undefined && { help: accepted.help }),
      span: document.valueSpan([...param.path, key]),
    });
  }
}

function checkOptions(document: TomlDocument, { path, keys }: ParamDraft, report: ReportFn): void {
  const { type, options } = keys;
  if (options === undefined || type === undefined) return;
  const at = [...path, 'options'];
  if (type !== 'enum') {
    report({
      message: `"options" are for an enum, found some for type ${quote(type)}`,
      help: 'write type = "enum", or remove them',
      span: document.keySpan(at),
    });
  } else if (options.length === 0) {
    report({ message: '"options" is empty: it allows no value', span: document.valueSpan(at) });
  }
  const first = new Map<string, number>();
  for (const [index, option] of options.entries()) {
    const earlier = option === undefined ? undefined : first.get(option);
    if (option === undefined || earlier === undefined) {
      if (option !== undefined) first.set(option, index);
      continue;
    }
    report({
      message: `duplicate option ${quote(option)}`,
      span: document.valueSpan([...at, index]),
      related: [{ message: 'the first one', span: document.valueSpan([...at, earlier]) }],
    });
  }
}
