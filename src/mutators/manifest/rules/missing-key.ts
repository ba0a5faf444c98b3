import type { Finding } from '../../../diagnostics/index.js';
import type { TomlDocument, TomlPath } from '../../../toml/index.js';
import { fileFormatOf } from '../actuators/to-actuator.js';
import type { ActuatorDraft } from '../draft.js';
import type { ManifestRule } from '../rule.js';
import { example } from './example.js';

export const missingKey: ManifestRule = {
  meta: {
    id: 'manifest/missing-key',
    severity: 'error',
    summary: 'a required key is absent, or there is no `mutator` at all',
    why: 'The mutator can be neither named nor used without it.',
    action: 'Add the key to the table that is marked.',
    examples: {
      fails: example('name = "wind"', '[mutator.actuator]\nkind = "module"'),
      passes: example('name = "wind"', '[mutator.actuator]\nkind = "module"\npath = "./wind.js"'),
    },
  },
  *check({ document, mutators }) {
    for (const { params, actuator } of mutators) {
      for (const { path, keys } of params) {
        if (keys.type !== 'enum' || document.has([...path, 'options'])) continue;
        yield missing(document, path, 'options', 'add options = ["...", "..."]');
      }
      if (actuator?.kind === 'file') yield* checkFile(document, actuator);
    }
  },
};

function* checkFile(
  document: TomlDocument,
  actuator: Extract<ActuatorDraft, { kind: 'file' }>,
): Generator<Finding> {
  const { path, keys } = actuator;
  const [template, key, value, format] = ['template', 'key', 'value', 'format'].map((name) =>
    document.has([...path, name]),
  );
  if (template) return;
  if (!key && !value) {
    const help =
      'add template for the whole text of the file, or key and value for one value in it';
    yield missing(document, path, 'template', help);
    return;
  }
  if (!key) yield missing(document, path, 'key', 'add key = ["wind", "speed"]');
  if (!value) yield missing(document, path, 'value', 'add value = "{speed}"');
  if (!format && keys.path !== undefined && fileFormatOf(keys) === undefined) {
    yield missing(document, path, 'format', 'add format = "json" or "toml"');
  }
}

function missing(document: TomlDocument, path: TomlPath, key: string, help: string): Finding {
  return { message: `missing key "${key}"`, help, span: document.headerSpan(path) };
}
