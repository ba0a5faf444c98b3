import {
  anyScalar,
  array,
  boolean,
  enumOf,
  requireValue,
  string,
  type TomlDocument,
  table,
} from '../../toml/index.js';
import { type AttributeValue, toAttribute } from '../../values/index.js';
import {
  type KindDraft,
  type KindFormat,
  kindEntry,
  missingKeyViolation,
  pathEntry,
  siteOf,
  textsOf,
} from '../format-parts.js';
import type { Placeholders } from '../template.js';

export const FILE_FORMATS = ['json', 'toml', 'yaml', 'env'] as const;

/** The format of a file with a value to change. */
export type FileFormat = (typeof FILE_FORMATS)[number];

/** An actuator that writes into a file. A reset restores the file. */
export interface FileActuator {
  readonly kind: 'file';
  readonly path: string;
  /** True to write into the existing file instead of replacing it. */
  readonly inPlace: boolean;
  readonly content:
    | { readonly kind: 'template'; readonly template: string }
    | {
        readonly kind: 'key';
        readonly format: FileFormat;
        /** The path of keys from the root to the value. Has at least one key. */
        readonly key: readonly string[];
        /** The value to write. A string may contain placeholders. */
        readonly value: AttributeValue;
      };
  readonly placeholders: Placeholders;
}

const format = table({
  kind: kindEntry('file', 'Writes into a file, and restores it on reset.'),
  path: pathEntry('The file', 'config/wind.json'),
  template: {
    format: string(),
    description:
      "The file's whole text. `{NAME}` stands for the value of a parameter, `{{NAME}}` for `{NAME}` itself. Cannot be combined with `key`.",
  },
  format: {
    format: enumOf(FILE_FORMATS),
    description: 'The file format, used with `key` (default: detected from the extension).',
  },
  key: {
    format: array(string()),
    description: "The key path to the value to write, from the file's root.",
    example: ['wind', 'speed'],
  },
  value: {
    format: anyScalar,
    description:
      "The value to write at `key`. A string that is a single placeholder becomes the parameter's value, with the parameter's type.",
    example: '{speed}',
  },
  in_place: {
    format: boolean,
    default: false,
    description:
      'Write into the existing file instead of replacing it: for a file that has hard links, is a mount point, or has extended attributes that cannot be copied. Readers may then see a partially written file.',
  },
});

export type FileDraft = KindDraft<'file', typeof format>;

export const fileKind = {
  format,
  placeholdersOnly: true,
  read: ({ keys }, placeholders) => ({
    kind: 'file',
    path: requireValue(keys.path),
    inPlace: keys.in_place ?? false,
    content: readContent(keys),
    placeholders,
  }),
  checkKeys(document, { path, keys }, report) {
    const has = hasIn(document, path);
    if (has('template')) return;
    if (!has('key') && !has('value')) {
      const help = "add template for the file's whole text, or key and value for a single value";
      report(missingKeyViolation(document, path, 'template', help));
      return;
    }
    if (!has('key'))
      report(missingKeyViolation(document, path, 'key', 'add key = ["wind", "speed"]'));
    if (!has('value'))
      report(missingKeyViolation(document, path, 'value', 'add value = "{speed}"'));
    if (!has('format') && keys.path !== undefined && formatOf(keys) === undefined) {
      report(
        missingKeyViolation(
          document,
          path,
          'format',
          'add format = "json", "toml", "yaml" or "env"',
        ),
      );
    }
  },
  checkValues(document, { path, keys }, report) {
    const has = hasIn(document, path);
    for (const key of ['key', 'value', 'format']) {
      if (!has('template') || !has(key)) continue;
      report({
        message: `"${key}" cannot be combined with "template", which is the file's whole text`,
        span: document.keySpan([...path, key]),
        related: [{ message: 'the template', span: document.keySpan([...path, 'template']) }],
      });
    }
    if (keys.key?.length === 0) {
      report({
        message: '"key" is empty, so it selects no value',
        span: document.valueSpan([...path, 'key']),
      });
    }
  },
  sites({ path, keys: { template, value } }) {
    const text = typeof value === 'string' ? value : undefined;
    return [
      ...siteOf([...path, 'template'], template, 'parameters'),
      ...siteOf([...path, 'value'], text, 'parameters'),
    ];
  },
  secrets: () => [],
} satisfies KindFormat<FileDraft, FileActuator>;

const hasIn = (document: TomlDocument, path: FileDraft['path']) => (key: string) =>
  document.has([...path, key]);

/** Returns the format of a file with a value to change, from the manifest or the file's name. */
function formatOf({ format, path = '' }: FileDraft['keys']): FileFormat | undefined {
  return format ?? formatOfName(path);
}

/** Returns the file format for a path's extension; undefined for an unknown extension. */
export function formatOfName(path: string): FileFormat | undefined {
  const extension = /\.(\w+)$/.exec(path.toLowerCase())?.[1];
  return extension === 'yml' ? 'yaml' : FILE_FORMATS.find((format) => format === extension);
}

function readContent(keys: FileDraft['keys']): FileActuator['content'] {
  if (keys.template !== undefined) return { kind: 'template', template: keys.template };
  return {
    kind: 'key',
    format: requireValue(formatOf(keys)),
    key: textsOf(keys.key),
    value: toAttribute(requireValue(keys.value)),
  };
}
