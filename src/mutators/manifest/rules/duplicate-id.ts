import { quote, type ReportFn } from '../../../diagnostics/index.js';
import type { TomlDocument, TomlPath } from '../../../toml/index.js';
import { idFor } from '../../model/names.js';
import type { ManifestRule } from '../rule.js';
import { ACTUATOR, example } from './example.js';

export const duplicateId: ManifestRule = {
  meta: {
    id: 'manifest/duplicate-id',
    severity: 'error',
    summary: 'two mutators with one id, or two parameters of a mutator with one name',
    why: 'It is not defined which of the two is meant.',
    action: 'Give one of them another `id` or `name`.',
    examples: {
      fails: `${example('name = "wind"', `probe = "A"\n\n${ACTUATOR}`)}\n${example('name = "wind"', `probe = "B"\n\n${ACTUATOR}`)}`,
      passes: `${example('name = "wind"', `probe = "A"\n\n${ACTUATOR}`)}\n${example('name = "wind"\nid = "wind-b"', `probe = "B"\n\n${ACTUATOR}`)}`,
    },
  },
  check({ document, mutators }, report) {
    const ids = mutators.flatMap(({ path, keys: { id, name } }) => {
      if (id !== undefined) return [{ text: id, path: [...path, 'id'], help: 'write another id' }];
      if (name === undefined) return [];
      return [{ text: idFor(name), path: [...path, 'name'], help: 'give this mutator an id' }];
    });
    repeated(document, ids, 'mutator id', report);
    for (const { params } of mutators) {
      const names = params.flatMap(({ path, keys: { name } }) =>
        name === undefined ? [] : [{ text: name, path: [...path, 'name'] }],
      );
      repeated(document, names, 'parameter', report);
    }
  },
};

interface Named {
  readonly text: string;
  readonly path: TomlPath;
  readonly help?: string;
}

function repeated(
  document: TomlDocument,
  all: readonly Named[],
  noun: string,
  report: ReportFn,
): void {
  const first = new Map<string, Named>();
  for (const one of all) {
    const earlier = first.get(one.text);
    if (earlier === undefined) {
      first.set(one.text, one);
      continue;
    }
    report({
      message: `duplicate ${noun} ${quote(one.text)}`,
      ...(one.help !== undefined && { help: one.help }),
      span: document.valueSpan(one.path),
      related: [{ message: 'the first one', span: document.valueSpan(earlier.path) }],
    });
  }
}
