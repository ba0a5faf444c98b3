import { quote, type ReportFn, writing } from '../../diagnostics/index.js';
import {
  array,
  type Conformed,
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
  timeout,
  timeoutOf,
  variableSites,
} from '../format-parts.js';
import { type Placeholders, placeholdersIn } from '../template.js';

/** Runs commands: argument vectors, never a shell. */
export interface ExecActuator {
  readonly kind: 'exec';
  /** The injecting command: at least a program, which contains no parameter. */
  readonly inject: readonly string[];
  readonly reset: readonly string[];
  readonly placeholders: Placeholders;
  readonly timeoutMs: number;
  /** The working directory; by default the manifest's. */
  readonly cwd?: string;
  /** Variables for the commands, in addition to Perturb's own environment. */
  readonly env: ReadonlyMap<string, string>;
}

/** An argument vector. */
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
      'The command that injects, and its arguments. `{NAME}` in an argument stands for the value of a parameter.',
    example: ['./wind.sh', 'set', '{speed}'],
  },
  reset: {
    format: commandFormat,
    required: true,
    description: 'The command that resets, and its arguments.',
    example: ['./wind.sh', 'clear'],
  },
  timeout,
  cwd: {
    format: string({ nonEmpty: true }),
    description: "The working directory of the commands, relative to the manifest's (the default).",
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

/** Returns the variable in which a command gets a parameter: its key in upper case, with `_` for `-`. */
export function variableOf(key: string): string {
  return `PERTURB_PARAM_${key.toUpperCase().replaceAll('-', '_')}`;
}

type CommandDraft = Conformed<typeof commandFormat> | undefined;

/** Returns the arguments of a command that may contain placeholders. */
export function commandSites(
  path: TomlPath,
  vector: CommandDraft,
  takes: PlaceholderSite['takes'],
): PlaceholderSite[] {
  return (vector ?? []).flatMap((text, index) => siteOf([...path, index], text, takes));
}

/** Reports a command that is empty, or chosen by a parameter. */
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
  // Otherwise, any client that may inject could choose the program to run.
  for (const placeholder of placeholdersIn(command ?? '')) {
    report({
      message: 'the command itself must not come from a parameter',
      help: 'put placeholders in its arguments',
      span: document.embed([...path, 0]).toFile(placeholder),
    });
  }
}
