import {
  actuatorKindOf,
  checkDuration,
  checkVerificationValues,
} from '../../../actuators/index.js';
import { parseAddress } from '../../../basics/index.js';
import {
  duplicatesIn,
  quote,
  type ReportFn,
  suggestedFix,
  type Violation,
} from '../../../diagnostics/index.js';
import type { Span } from '../../../source/index.js';
import { misfitCheck, type TomlDocument, type TomlPath } from '../../../toml/index.js';
import { type AttributeValue, compare, toAttribute } from '../../../values/index.js';
import { idFor } from '../../model/mutator.js';
import {
  accept,
  contains,
  formatRange,
  formatValue,
  type Parameter,
  toTypedRange,
} from '../../model/parameter.js';
import type { MutatorDraft, ParamDraft } from '../draft.js';
import { readRange, toParameter } from '../parameters.js';
import type { ManifestRule } from './rule.js';
import { EXAMPLE_ACTUATOR, manifestExample, manifestWithParam } from './rule.js';

const reportMisfits = misfitCheck('invalid-value');

export const invalidManifestValue: ManifestRule = {
  id: 'manifest/invalid-value',
  severity: 'error',
  summary: 'an invalid value of the right type',
  why: 'With an invalid value, the mutator is unusable or does not work as described.',
  action: 'Write a valid value, as described in the message.',
  examples: {
    fails: manifestWithParam('type = "float"\nhard_range = [0.0, 40.0]\ndefault = 50.0'),
    passes: manifestWithParam('type = "float"\nhard_range = [0.0, 40.0]\ndefault = 5.0'),
  },
  check(draft, report) {
    reportMisfits(draft, report);
    const { document, mutators, processes } = draft;
    for (const { path, keys } of processes) {
      const { ready } = keys;
      if (ready === undefined || parseAddress(ready) !== undefined) continue;
      const span = document.valueSpan([...path, 'ready']);
      report({ message: `expected HOST:PORT, found ${quote(ready)}`, span });
    }
    for (const mutator of mutators) {
      const { path, keys, params, actuator, verify } = mutator;
      checkMutatorId(document, mutator, report);
      checkDuration(document, [...path, 'max_active'], keys.max_active, report);
      for (const param of params) checkParam(document, param, report);
      if (actuator !== undefined) actuatorKindOf(actuator).checkValues(document, actuator, report);
      if (verify !== undefined) checkVerificationValues(document, verify, report);
    }
  },
};

/** Reports a mutator id that cannot be part of a URL path. */
function checkMutatorId(
  document: TomlDocument,
  { path, keys: { id, name } }: MutatorDraft,
  report: ReportFn,
): void {
  const text = id ?? (name === undefined ? '' : idFor(name));
  if (text !== '.' && text !== '..') return;
  report({
    message: `${quote(text)} cannot be an id: URLs treat it as a step in a path`,
    span: document.valueSpan([...path, id === undefined ? 'name' : 'id']),
  });
}

/** Reports a parameter's invalid options, default and least effect. */
function checkParam(document: TomlDocument, param: ParamDraft, report: ReportFn): void {
  checkOptions(document, param, report);
  const parameter = toParameter(document, param);
  if (parameter === undefined) return;
  for (const key of ['default', 'least_effect'] as const) {
    const value = param.keys[key];
    const acceptance = value === undefined ? undefined : accept(parameter, toAttribute(value));
    if (acceptance === undefined || 'value' in acceptance) continue;
    const span = document.valueSpan([...param.path, key]);
    report({
      message: acceptance.problem,
      ...(acceptance.help === undefined
        ? suggestValue(parameter, toAttribute(value as string | bigint | number | boolean), span)
        : { help: acceptance.help, instead: acceptance.instead }),
      span,
    });
  }
}

/** Suggests removing a number's quotes, or the nearest value in the hard range. */
function suggestValue(
  parameter: Parameter,
  value: AttributeValue,
  span: Span,
): Pick<Violation, 'help' | 'fix'> {
  if (value.type === 'string') {
    if (!['integer', 'float'].includes(parameter.type) || !NUMBER.test(value.value)) return {};
    const help = `remove the quotes: ${value.value}`;
    return { help, fix: suggestedFix(span, value.value, help) };
  }
  const { lower, upper } = toTypedRange(parameter) ?? {};
  const isAbove = upper !== undefined && (compare(value, upper) ?? 0) > 0;
  const bound = isAbove ? upper : lower;
  if (bound === undefined || compare(value, bound) === undefined) return {};
  const help = `write ${formatValue(bound)} or ${isAbove ? 'less' : 'more'}`;
  return { help, fix: suggestedFix(span, formatValue(bound)) };
}

const NUMBER = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function checkOptions(document: TomlDocument, { path, keys }: ParamDraft, report: ReportFn): void {
  const { type, options } = keys;
  if (options === undefined || type === undefined) return;
  const optionsPath = [...path, 'options'];
  if (type !== 'enum') {
    report({
      message: `only an enum accepts "options", found type ${quote(type)}`,
      help: 'remove "options", or use type = "enum"',
      span: document.keySpan(optionsPath),
    });
  } else if (options.length === 0) {
    report({
      message: '"options" is empty, so no value is allowed',
      span: document.valueSpan(optionsPath),
    });
  }
  const entries = options.flatMap((text, index) =>
    text === undefined ? [] : [{ text, path: [...optionsPath, index] }],
  );
  reportDuplicates(document, entries, 'option', report);
}

export const invalidHardRange: ManifestRule = {
  id: 'manifest/invalid-range',
  severity: 'error',
  summary:
    "`hard_range` or `usual_range` is not a lower and an upper bound of the parameter's type",
  why: 'An invalid range contains no value, or its values are undefined.',
  action:
    'Write `[lower, upper]` with the lower bound first, and `-inf` or `inf` for an open side.',
  examples: {
    fails: manifestWithParam('type = "float"\nhard_range = [40.0, 0.0]'),
    passes: manifestWithParam('type = "float"\nhard_range = [0.0, inf]'),
  },
  check({ document, mutators }, report) {
    for (const { params } of mutators) {
      for (const param of params) {
        readRange(document, param, 'hard_range').violations.forEach(report);
        checkUsualRange(document, param, report);
      }
    }
  },
};

/** Reports an invalid usual range, and bounds that the parameter does not accept. */
function checkUsualRange(document: TomlDocument, param: ParamDraft, report: ReportFn): void {
  const { range, violations } = readRange(document, param, 'usual_range');
  violations.forEach(report);
  const parameter = toParameter(document, param);
  const hardRange = parameter && toTypedRange(parameter);
  if (hardRange === undefined) return;
  for (const [index, bound] of [range.lower, range.upper].entries()) {
    if (bound === undefined || contains(hardRange, bound)) continue;
    const span = document.valueSpan([...param.path, 'usual_range', index]);
    const message = `${formatValue(bound)} is outside the hard range ${formatRange(hardRange)}`;
    report({ message, ...suggestValue(parameter as Parameter, bound, span), span });
  }
}

export const duplicateId: ManifestRule = {
  id: 'manifest/duplicate-id',
  severity: 'error',
  summary:
    'two mutators with the same id, or two parameters of a mutator with the same name or variable',
  why: 'References to a duplicate are ambiguous.',
  action: 'Give one of the two a different `id` or `name`.',
  examples: {
    fails: `${manifestExample('name = "wind"', `probe = "A"\n\n${EXAMPLE_ACTUATOR}`)}\n${manifestExample('name = "wind"', `probe = "B"\n\n${EXAMPLE_ACTUATOR}`)}`,
    passes: `${manifestExample('name = "wind"', `probe = "A"\n\n${EXAMPLE_ACTUATOR}`)}\n${manifestExample('name = "wind"\nid = "wind-b"', `probe = "B"\n\n${EXAMPLE_ACTUATOR}`)}`,
  },
  check({ document, mutators, processes }, report) {
    const processNames = processes.flatMap(({ path, keys: { name } }) =>
      name === undefined ? [] : [{ text: name, path: [...path, 'name'] }],
    );
    reportDuplicates(document, processNames, 'process', report);
    const ids = mutators.flatMap(({ path, keys: { id, name } }) => {
      if (id !== undefined) return [{ text: id, path: [...path, 'id'], help: 'choose another id' }];
      if (name === undefined) return [];
      return [{ text: idFor(name), path: [...path, 'name'], help: 'give this mutator an id' }];
    });
    reportDuplicates(document, ids, 'mutator id', report);
    for (const mutator of mutators) {
      const names = mutator.params.flatMap(({ path, keys: { name } }) =>
        name === undefined ? [] : [{ text: name, path: [...path, 'name'] }],
      );
      reportDuplicates(document, names, 'parameter', report);
      checkParamVariables(document, mutator, report);
    }
  },
};

/** Reports parameters with the same environment variable. */
function checkParamVariables(
  document: TomlDocument,
  { params, actuator }: MutatorDraft,
  report: ReportFn,
): void {
  const variableOf = actuator && actuatorKindOf(actuator).variableOf;
  if (variableOf === undefined) return;
  const entries = params.flatMap(({ path, keys: { name }, key }) =>
    name === undefined ? [] : [{ name, variable: variableOf(key), path: [...path, 'name'] }],
  );
  for (const [later, earlier] of duplicatesIn(entries, ({ variable }) => variable)) {
    report({
      severity: 'warning',
      message: `${quote(earlier.name)} and ${quote(later.name)} set the same environment variable, ${later.variable}, so the last value overwrites the others`,
      help: 'rename one of the parameters',
      span: document.valueSpan(later.path),
      related: [{ message: 'the first occurrence', span: document.valueSpan(earlier.path) }],
    });
  }
}

interface NamedEntry {
  readonly text: string;
  readonly path: TomlPath;
  readonly help?: string;
}

function reportDuplicates(
  document: TomlDocument,
  entries: readonly NamedEntry[],
  noun: string,
  report: ReportFn,
): void {
  for (const [later, earlier] of duplicatesIn(entries, ({ text }) => text)) {
    report({
      message: `duplicate ${noun} ${quote(later.text)}`,
      help: later.help,
      span: document.valueSpan(later.path),
      related: [{ message: 'the first occurrence', span: document.valueSpan(earlier.path) }],
    });
  }
}
