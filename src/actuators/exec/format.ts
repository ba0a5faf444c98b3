import { quote, type ReportFn, writing } from '../../diagnostics/index.js';
import {
  array,
  type ConformingValues,
  string,
  type TomlDocument,
  type TomlPath,
  table,
} from '../../toml/index.js';
import {
  checkDuration,
  checkVariables,
  environmentEntry,
  type KindDraft,
  type KindFormat,
  kindEntry,
  type PlaceholderSite,
  siteOf,
  textsByName,
  textsOf,
  timeoutEntry,
  timeoutOf,
  variableSites,
} from '../format-parts.js';
import { type Placeholders, placeholdersIn } from '../template.js';

/** An actuator that runs commands, which are argument vectors without a shell. */
export interface ExecActuator {
  readonly kind: 'exec';
  /** The inject command's argument vector. Its first element, the program, contains no placeholder. */
  readonly inject: readonly string[];
  readonly reset: readonly string[];
  readonly placeholders: Placeholders;
  readonly timeoutMs: number;
  /** The working directory (default: the manifest's directory). */
  readonly cwd?: string;
  /** Environment variables for the commands, in addition to Perturb's own environment. */
  readonly env: ReadonlyMap<string, string>;
}

/** The format of an argument vector. */
export const commandFormat = array(string(), {
  hint: (sourceText) => {
    const words = /^"([^"'\\\\$|&;<>*~]+)"$/.exec(sourceText)?.[1]?.trim().split(/\s+/) ?? [];
    return words.length > 1
      ? writing(`[${words.map((word) => `"${word}"`).join(', ')}]`)
      : undefined;
  },
});

const format = table({
  kind: kindEntry('exec', 'Runs commands, without a shell.'),
  inject: {
    format: commandFormat,
    required: true,
    description:
      "The inject command, and its arguments. `{NAME}` in an argument stands for a parameter's value.",
    example: ['./wind.sh', 'set', '{speed}'],
  },
  reset: {
    format: commandFormat,
    required: true,
    description: 'The reset command, and its arguments.',
    example: ['./wind.sh', 'clear'],
  },
  timeout: timeoutEntry,
  cwd: {
    format: string({ nonEmpty: true }),
    description:
      "The commands' working directory, relative to the manifest's directory (the default).",
  },
  env: environmentEntry('the commands'),
});

export type ExecDraft = KindDraft<'exec', typeof format>;

export const execKind = {
  format,
  read({ keys }, placeholders) {
    const { inject, reset, cwd, env } = keys;
    return {
      kind: 'exec',
      inject: textsOf(inject),
      reset: textsOf(reset),
      placeholders,
      timeoutMs: timeoutOf(keys.timeout),
      ...(cwd !== undefined && { cwd }),
      env: textsByName(env),
    };
  },
  checkValues(document, { path, keys }, report) {
    checkDuration(document, [...path, 'timeout'], keys.timeout, report);
    checkCommand(document, [...path, 'inject'], keys.inject, report);
    checkCommand(document, [...path, 'reset'], keys.reset, report);
    checkVariables(document, keys.env, report);
  },
  sites: ({ path, keys }) => [
    ...commandSites([...path, 'inject'], keys.inject, 'parameters'),
    ...commandSites([...path, 'reset'], keys.reset, 'nothing'),
    ...variableSites(keys.env),
  ],
  secrets: ({ env }) => [...env.values()],
  variableOf,
} satisfies KindFormat<ExecDraft, ExecActuator>;

/**
 * Returns the name of the environment variable that passes a parameter's value to a command. The name contains the
 * parameter's key in upper case, with `_` for `-`.
 */
export function variableOf(key: string): string {
  return `PERTURB_PARAM_${key.toUpperCase().replaceAll('-', '_')}`;
}

type CommandDraft = ConformingValues<typeof commandFormat> | undefined;

/** Returns a command's arguments, which may contain placeholders. */
export function commandSites(
  path: TomlPath,
  vector: CommandDraft,
  takes: PlaceholderSite['takes'],
): PlaceholderSite[] {
  return (vector ?? []).flatMap((text, index) => siteOf([...path, index], text, takes));
}

/** Reports an empty command, or a program that contains a placeholder. */
export function checkCommand(
  document: TomlDocument,
  path: TomlPath,
  vector: CommandDraft,
  report: ReportFn,
): void {
  const [command] = vector ?? [];
  if (vector?.length === 0) {
    report({
      message: `${quote(String(path.at(-1)))} has no command`,
      span: document.valueSpan(path),
    });
  } else if (command?.trim() === '') {
    report({ message: 'the command is empty', span: document.valueSpan([...path, 0]) });
  }
  // Otherwise, any client with permission to inject could choose the program to run.
  for (const placeholder of placeholdersIn(command ?? '')) {
    report({
      message: 'the command itself must not come from a parameter',
      help: 'put placeholders in the arguments',
      span: document.embed([...path, 0]).toFile(placeholder),
    });
  }
}
