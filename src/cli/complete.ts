import { type Argument, Command, type Option } from 'commander';
import { groupOf } from '../diagnostics/index.js';
import { rules } from '../objective/index.js';
import { type Config, loadConfig } from './config/config.js';
import { rootCommand } from './help/help-text.js';
import { joinBashWords } from './help/shells.js';
import { type CommandEntry, type CommandTable, configure, type Io } from './runtime/command.js';

export interface Completion {
  readonly candidates: readonly CompletionCandidate[];
  /** The type of paths that may also complete the word, or the text after the word's last `=`. */
  readonly paths?: 'files' | 'directories';
}

export interface CompletionCandidate {
  readonly text: string;
  readonly summary?: string;
}

/** The possible values of an argument or a flag: words, and paths if `paths` is present. */
export interface ArgumentValue {
  /** The value's name in the help, such as `path` in `--config <path>`. */
  readonly name: string;
  readonly words: readonly string[];
  /** `after =` allows a path only after one of the words and `=`, as in `sarif=FILE`. */
  readonly paths?: 'files' | 'directories' | 'after =';
}

/** The value names in the help that denote files. */
const FILES: ReadonlySet<string> = new Set([
  ...['path', 'paths', 'file', 'file...', 'manifest', 'expression', 'source', 'session'],
  ...['before', 'after', 'objective', 'command', 'fields', 'events'],
]);

/** Completions from the program or the project, by the value's name in the help. */
const KNOWN: Readonly<Record<string, () => readonly string[] | Promise<readonly string[]>>> = {
  bench: () => ofConfig(({ benches }) => [...benches.keys(), 'all']),
  server: () => ofConfig(({ namedServers }) => namedServers.keys()),
  poll: () => ofConfig(({ polls }) => polls.map(({ name }) => name)),
  source: () => ofConfig(({ namedServers }) => namedServers.keys()),
  rules: () => [...new Set(rules.flatMap(({ id }) => [groupOf(id), id]))],
  rule: async () => (await import('./rules.js')).allRules.map(({ id }) => id),
  kind: async () => Object.keys((await import('./mutators/manifests.js')).MUTATOR_KINDS),
  question: async () => [...(await import('./objective/new.js')).readQuestions().keys()],
  engine: () => ['embedded', 'clickhouse:'],
  'clickhouse:url': () => ['clickhouse:'],
  store: () => ['sqlite:', 'postgres://'],
  events: () => ['otlp'],
};

/** Returns values from the nearest perturb.toml; none if the file cannot be read. */
function ofConfig(read: (config: Config) => Iterable<string>): readonly string[] {
  try {
    return [...read(loadConfig({ cwd: process.cwd(), env: process.env }, undefined, rules).config)];
  } catch {
    return [];
  }
}

/**
 * Completes the last word after `perturb`. Uses the same data as the help: the command table and
 * the commands' declarations.
 */
export async function complete(
  words: readonly string[],
  { groups, commands }: CommandTable,
): Promise<Completion> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const plain = before.filter((word) => !word.startsWith('-'));
  const isHelp = plain[0] === 'help';
  const [group, name] = isHelp ? plain.slice(1) : plain;
  const globals = rootCommand().createHelp().visibleOptions(rootCommand());
  const flagsOf = (options: readonly Option[]) => startingWith(current, options.map(flagCandidate));
  if (group === undefined) {
    if (current.startsWith('-')) return flagsOf(globals);
    const all = Object.entries(groups).map(([text, { summary }]) => ({ text, summary }));
    const help = { text: 'help', summary: 'show the help of a command' };
    return startingWith(current, isHelp ? all : [...all, help]);
  }
  const inGroup = commands.filter((entry) => entry.words[0] === group);
  const alone = Object.hasOwn(groups, group) ? groups[group]?.alone : undefined;
  // If a flag of the group's default command comes before a word, the word is the flag's value.
  const isValue = alone !== undefined && before.at(-1)?.startsWith('-');
  if (name === undefined && !current.startsWith('-') && !isValue) {
    const all = inGroup.map(({ words: [, text], summary }) => ({ text, summary }));
    return startingWith(current, all);
  }
  const entry = inGroup.find(({ words: [, own] }) => own === (name ?? alone));
  if (entry === undefined || isHelp) return flagsOf(globals);
  return completeFor(entry, globals, before, current);
}

/** Completes a command's flag, flag value or argument. */
async function completeFor(
  entry: CommandEntry,
  globals: readonly Option[],
  before: readonly string[],
  current: string,
): Promise<Completion> {
  const command = new Command(entry.words[1]).helpOption('-h, --help', 'show this help');
  configure(command, await entry.load());
  const options = [...command.createHelp().visibleOptions(command), ...globals];
  const valued = options.filter(({ required, optional }) => required || optional);
  const onlyArguments = before.includes('--');
  if (!onlyArguments) {
    const last = before.at(-1);
    const pending = valued.find(({ short, long }) => last === long || last === short);
    if (last !== undefined && pending !== undefined) {
      return completeValue(current, '', await valueOfOption(pending));
    }
    const [glued, flag] = /^(--[^=]+)=/.exec(current) ?? [];
    const named = valued.find(({ long }) => long === flag);
    if (glued !== undefined && named !== undefined) {
      return completeValue(current.slice(glued.length), glued, await valueOfOption(named));
    }
    if (current.startsWith('-')) return startingWith(current, options.map(flagCandidate));
  }
  const isValue = (at: number) =>
    valued.some(({ short, long }) => [short, long].includes(before[at - 1]));
  const end = onlyArguments ? before.indexOf('--') : before.length;
  const given = before.filter((word, at) => at > end || !(word.startsWith('-') || isValue(at)));
  const own = given[1] === entry.words[1] ? 2 : 1;
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const argument = all[given.length - own] ?? (last?.variadic ? last : undefined);
  return argument === undefined
    ? { candidates: [] }
    : completeValue(current, '', await valueOfArgument(argument));
}

/**
 * Completes a value.
 *
 * @param glued the text before the value in the same word, such as `--format=`
 */
function completeValue(
  current: string,
  glued: string,
  { words, paths }: ArgumentValue,
): Completion {
  const fitting = words.filter((word) => word.startsWith(current));
  const candidates = fitting.map((word) => ({ text: glued + word }));
  const allowed = paths !== 'after =' ? paths : current.includes('=') ? 'files' : undefined;
  return { candidates, ...(allowed && { paths: allowed }) };
}

function startingWith(current: string, candidates: readonly CompletionCandidate[]): Completion {
  const found = candidates.filter(({ text }) => text.startsWith(current));
  return { candidates: [...new Map(found.map((one) => [one.text, one])).values()] };
}

function flagCandidate({ long, description }: Option): CompletionCandidate {
  return { text: long as string, summary: description };
}

export function valueOfOption({ flags, argChoices }: Option): Promise<ArgumentValue> {
  return valueNamed(flags.slice(flags.search(/[<[]/) + 1, -1), argChoices);
}

export function valueOfArgument(argument: Argument): Promise<ArgumentValue> {
  return valueNamed(argument.name(), argument.argChoices);
}

/** Returns the possible values of an argument or flag, by the value's name in the help. */
async function valueNamed(name: string, choices?: readonly string[]): Promise<ArgumentValue> {
  const other = name === 'directory' || name === 'run' ? 'directories' : undefined;
  const paths = FILES.has(name) ? 'files' : name === 'name[=file]' ? 'after =' : other;
  const words = choices ?? (await KNOWN[name]?.()) ?? [];
  return { name, words, ...(paths && { paths }) };
}

/**
 * Runs `perturb complete SHELL -- WORDS` for the completion scripts. Prints completions of the last
 * word. The command has no help, because only scripts run it.
 */
export async function printCompletions(
  io: Io,
  [shell, , ...words]: readonly string[],
  table: CommandTable,
): Promise<void> {
  // Bash replaces only part of the word, and cannot show summaries.
  const isBash = shell === 'bash';
  const { words: whole, kept } = isBash ? joinBashWords(words) : { words, kept: '' };
  const { candidates, paths } = await complete(whole, table);
  const lines = candidates.map(({ text, summary }) =>
    summary && !isBash ? `${text}\t${summary}` : text.slice(kept.length),
  );
  if (paths !== undefined) lines.push(`:${paths}`);
  io.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
