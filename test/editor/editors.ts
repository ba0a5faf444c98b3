import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { binDirectory, directoryWith } from '../cli/program.js';
import { blocksOf } from '../docs/documents.js';

/** Where the editors are: those that `.ci/editors` unpacked, before those that are installed. */
const PATH = [process.env['PERTURB_TEST_EDITORS'], process.env['PATH']]
  .filter((part) => part !== undefined)
  .join(delimiter);

export interface Version {
  readonly major: number;
  readonly minor: number;
}

/** The version of an editor; undefined where it is not installed. */
export function versionOf(editor: string): Version | undefined {
  const { stdout } = spawnSync(editor, ['--version'], { encoding: 'utf8', env: { PATH } });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

/** The blocks of a language in docs/editors.md: set-ups, as a reader copies them. */
export function setUps(language: string, file?: string): readonly string[] {
  return blocksOf(readFileSync('docs/editors.md', 'utf8'))
    .filter((block) => block.language === language && block.file === file)
    .map(({ body }) => body);
}

/** What the editors work on: a warning that can be fixed, and an expression that can be laid out. */
export const OBJECTIVE = `name = "Drone in wind"

[[measurement]]
name = "Heartbeats follow gusts"
check = """
MATCH (name = 'GUST') AS gust, (name = BEAT) AS beat
WHEN gust -> beat
"""

[stopping_conditions]
attempts = 3
`;

/** A home of an editor beside a project with that objective. */
export function homeWith(files: Readonly<Record<string, string>>): string {
  return directoryWith({
    ...files,
    'bench/wind.objective.toml': OBJECTIVE,
    'bench/perturb.toml': '',
  });
}

/** Where an editor runs: in the project of a home, with `perturb` in its PATH. */
export function surroundings(home: string): { cwd: string; env: NodeJS.ProcessEnv } {
  const path = `${binDirectory()}${delimiter}${PATH}`;
  return { cwd: join(home, 'bench'), env: { PATH: path, HOME: home, TERM: 'xterm-256color' } };
}

/** Runs an editor to its end, which must be a good one. */
export function runEditor(editor: string, args: readonly string[], home: string): Promise<void> {
  const child = spawn(editor, args, { ...surroundings(home), stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  }
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0 ? done() : fail(new Error(`${editor} ended with ${code}: ${printed}`)),
    );
  });
}
