import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { configFormat, configRules } from '../../config/index.js';
import {
  arrange,
  type Diagnostic,
  type Finding,
  type Level,
  locate,
  quote,
  type RuleMeta,
  suggestRule,
} from '../../diagnostics/index.js';
import { decodeSource } from '../../source/index.js';
import { conform, readToml, type TomlDocument } from '../../toml/index.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure, reasonOf } from '../runtime/failure.js';

const NAME = 'perturb.toml';

/** A project's settings. Absent ones are empty: what they default to is for the command. */
export interface Config {
  /** The directory that globs and paths in the settings count from. */
  readonly directory: string;
  /** The file, when there is one. */
  readonly document?: TomlDocument;
  readonly include?: readonly string[];
  readonly exclude: readonly string[];
  /** As they were written: paths, URLs and names of servers. */
  readonly mutators: readonly string[];
  readonly levels: ReadonlyMap<string, Level>;
  readonly servers: ReadonlyMap<string, Server>;
  readonly storeUrl?: string;
}

/** A mutator server that the project has a name for. */
export interface Server {
  readonly url: string;
  readonly apiKeyEnv?: string;
}

/** The settings, and what is wrong with their file. */
export interface LoadedConfig {
  readonly config: Config;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the `perturb.toml` of a project: the named file, or the nearest one
 * upwards from the working directory, or none.
 *
 * @param rules every rule that the file may set a level for
 * @throws Failure (usage) when the named file can't be read
 */
export function loadConfig(
  cwd: string,
  named: string | undefined,
  rules: readonly RuleMeta[],
): LoadedConfig {
  const path = named === undefined ? findUpwards(cwd) : resolve(cwd, named);
  if (path === undefined) return { config: empty(cwd), diagnostics: [] };
  const shown = named ?? relative(cwd, path);
  const decoded = decodeSource(shown, read(path, shown));
  const { document, problems } = readToml(decoded);
  const diagnostics = problems.map((problem) => locate(problem, decoded.source));
  if (document === undefined) return { config: empty(cwd), diagnostics: arrange(diagnostics) };
  const { value, problems: misfits } = conform(document, configFormat);
  for (const misfit of misfits) {
    diagnostics.push(locate({ rule: configRules[misfit.kind], ...misfit }, document.file));
  }
  const { lint, servers, store } = value.keys;
  const levels = lint?.keys.rules?.entries ?? new Map<string, Level>();
  for (const finding of wrongLevels(document, levels, rules)) {
    diagnostics.push(locate({ rule: configRules['unknown-rule'], ...finding }, document.file));
  }
  const usable = [...(servers?.entries ?? [])].flatMap(([name, { keys }]) =>
    keys.url === undefined ? [] : [[name, toServer(keys.url, keys.api_key_env)] as const],
  );
  const include = lint?.keys.include;
  const storeUrl = store?.keys.url;
  return {
    config: {
      directory: dirname(path),
      document,
      ...(include !== undefined && { include: strings(include) }),
      exclude: strings(lint?.keys.exclude),
      mutators: strings(lint?.keys.mutators),
      levels,
      servers: new Map(usable),
      ...(storeUrl !== undefined && { storeUrl }),
    },
    diagnostics: arrange(diagnostics),
  };
}

function findUpwards(cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(join(at, NAME))) return join(at, NAME);
    if (dirname(at) === at) return undefined;
  }
}

function read(path: string, shown: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure(exitCodes.usage, `can't read ${shown}: ${reasonOf(error)}`);
  }
}

function empty(directory: string): Config {
  return { directory, exclude: [], mutators: [], levels: new Map(), servers: new Map() };
}

function toServer(url: string, apiKeyEnv: string | undefined): Server {
  return apiKeyEnv === undefined ? { url } : { url, apiKeyEnv };
}

function strings(values: readonly (string | undefined)[] | undefined): readonly string[] {
  return values?.filter((value) => value !== undefined) ?? [];
}

function* wrongLevels(
  document: TomlDocument,
  levels: ReadonlyMap<string, Level>,
  rules: readonly RuleMeta[],
): Generator<Finding> {
  const known = new Map(rules.map((rule) => [rule.id, rule]));
  for (const [id, level] of levels) {
    const span = document.keySpan(['lint', 'rules', id]);
    const rule = known.get(id);
    if (rule === undefined) {
      const help = suggestRule(id, [...known.keys()]);
      yield { message: `unknown rule ${quote(id)}`, ...(help !== undefined && { help }), span };
    } else if (rule.mandatory && level === 'off') {
      yield { message: `rule ${quote(id)} can't be turned off`, help: 'write "warn"', span };
    }
  }
}

/** The findings for globs of a setting that match no file. */
export function unmatched(
  { document }: Config,
  key: 'include' | 'exclude',
  globs: readonly string[],
): Diagnostic[] {
  if (document === undefined) return [];
  return globs.map((glob) =>
    locate(
      {
        rule: configRules['no-match'],
        message: `no file matches ${quote(glob)}`,
        help: `globs count from the directory of ${NAME}`,
        span: document.valueSpan(['lint', key, positionOf(document, key, glob)]),
      },
      document.file,
    ),
  );
}

function positionOf(document: TomlDocument, key: 'include' | 'exclude', glob: string): number {
  const lint = document.root['lint'] as { readonly [key: string]: readonly string[] };
  return lint[key]?.indexOf(glob) ?? 0;
}
