import type { ReportFn, Violation } from '../../../diagnostics/index.js';
import { misfitsOf, type TomlDocument, type TomlPath } from '../../../toml/index.js';
import { fileFormatOf } from '../actuators/to-actuator.js';
import type { ActuatorDraft } from '../draft.js';
import type { ManifestRule } from '../rule.js';
import { example } from './example.js';

const reportMisfits = misfitsOf('missing-key');

export const missingKey: ManifestRule = {
  meta: {
    id: 'manifest/missing-key',
    severity: 'error',
    summary: 'a required key is absent, or there is no `mutator` at all',
    why: 'The mutator can be neither named nor used without it.',
    action: 'Add the key to the table of the finding.',
    examples: {
      fails: example('name = "wind"', '[mutator.actuator]\nkind = "module"'),
      passes: example('name = "wind"', '[mutator.actuator]\nkind = "module"\npath = "./wind.js"'),
    },
  },
  check(draft, report) {
    reportMisfits(draft, report);
    const { document, mutators } = draft;
    for (const { params, actuator } of mutators) {
      for (const { path, keys } of params) {
        if (keys.type !== 'enum' || document.has([...path, 'options'])) continue;
        report(missing(document, path, 'options', 'add options = ["...", "..."]'));
      }
      if (actuator?.kind === 'file') checkFile(document, actuator, report);
    }
  },
};

function checkFile(
  document: TomlDocument,
  actuator: Extract<ActuatorDraft, { kind: 'file' }>,
  report: ReportFn,
): void {
  const { path, keys } = actuator;
  const [template, key, value, format] = ['template', 'key', 'value', 'format'].map((name) =>
    document.has([...path, name]),
  );
  if (template) return;
  if (!key && !value) {
    const help =
      'add template for the whole text of the file, or key and value for one value in it';
    report(missing(document, path, 'template', help));
    return;
  }
  if (!key) report(missing(document, path, 'key', 'add key = ["wind", "speed"]'));
  if (!value) report(missing(document, path, 'value', 'add value = "{speed}"'));
  if (!format && keys.path !== undefined && fileFormatOf(keys) === undefined) {
    report(missing(document, path, 'format', 'add format = "json" or "toml"'));
  }
}

function missing(document: TomlDocument, path: TomlPath, key: string, help: string): Violation {
  return { message: `missing key "${key}"`, help, span: document.headerSpan(path) };
}
