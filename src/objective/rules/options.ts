import { adviseOn, listOf, quote } from '../../diagnostics/index.js';
import { titleOf } from '../../values/index.js';
import { type CatalogRule, constrainsValues } from '../draft.js';
import { constraintExample } from './example.js';
import { constrainedParameters, hasBoth, takesRange } from './targets.js';

export const optionsRequired: CatalogRule = {
  id: 'catalog/options-required',
  severity: 'error',
  summary: 'no `enum_options` on an enum parameter',
  why: 'Without options the constraint says nothing about the values of the parameter.',
  action: 'Add `enum_options`, or remove the constraint.',
  examples: {
    fails: constraintExample('wind', 'name = "mode"'),
    passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust"]'),
  },
  check(draft, report) {
    const { document } = draft;
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const options = parameters.find(({ parameter }) => parameter.options)?.parameter.options;
      // A range in place of options, or a misspelt key, is one mistake, and reported as that.
      if (options === undefined || constrainsValues(document, constraint)) continue;
      report({
        message: `the constraint of ${title} needs "enum_options"`,
        help: `its options: ${listOf(options.map(({ name }) => name))}`,
        span: document.valueSpan([...constraint.path, 'name']),
      });
    }
  },
};

export const optionsNotPermitted: CatalogRule = {
  id: 'catalog/options-not-permitted',
  severity: 'error',
  summary: '`enum_options` on a parameter that is not an enum',
  why: 'Such a parameter has no options to choose from.',
  action: 'Write a `range`, or nothing at all for a boolean parameter.',
  examples: {
    fails: constraintExample('link-failure', 'name = "flap"\nenum_options = ["true"]'),
    passes: constraintExample('link-failure', 'name = "flap"'),
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      if (constraint.keys.enum_options === undefined || hasBoth(constraint)) continue;
      const other = parameters.find(({ parameter }) => parameter.options === undefined)?.parameter;
      if (other === undefined) continue;
      report({
        message: `${title} is ${titleOf(other.valueType)} and takes no "enum_options"`,
        help: takesRange(other) ? 'use a "range"' : 'remove "enum_options"',
        span: draft.document.keySpan([...constraint.path, 'enum_options']),
      });
    }
  },
};

export const unknownEnumOption: CatalogRule = {
  id: 'catalog/unknown-option',
  severity: 'error',
  fixable: 'suggested',
  summary: 'an option that the parameter does not have',
  why: 'The mutator refuses the option, so the mutation fails on the bench.',
  action: 'Correct the option, or remove it.',
  examples: {
    fails: constraintExample('wind', 'name = "mode"\nenum_options = ["gusts"]'),
    passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust"]'),
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const { enum_options: written } = constraint.keys;
      if (written === undefined) continue;
      const sets = parameters.flatMap(({ parameter: { options } }) =>
        options === undefined ? [] : [new Set(options.map(({ name }) => name))],
      );
      for (const [index, option] of written.entries()) {
        if (option === undefined) continue;
        const lacking = sets.find((names) => !names.has(option));
        if (lacking === undefined) continue;
        report({
          message: `${title} has no option ${quote(option)}`,
          ...adviseOn(option, [...lacking]),
          span: draft.document.valueSpan([...constraint.path, 'enum_options', index]),
        });
      }
    }
  },
};
