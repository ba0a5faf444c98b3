import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { parse as parseYaml } from 'yaml';
import { commands, groups } from '../../src/cli/commands.js';
import { loadConfig } from '../../src/cli/config/config.js';
import { readWords } from '../../src/cli/help/words.js';
import { allRules } from '../../src/cli/rules.js';
import { configure } from '../../src/cli/runtime/command.js';
import { check } from '../../src/expression/index.js';
import { loadManifest } from '../../src/mutators/index.js';
import { lint } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { type Block, commandsOf } from './documents.js';
import { stepsOf } from './steps.js';

/** Gives what is wrong with a block of its kind, one a line; nothing for a good one. */
export type Examine = (block: Block, text: string) => Promise<string> | string;

/** What a part of a file may lack. */
const LACKING = /^(?:objective|manifest)\/(?:missing-key|no-stopping-condition)$/;

/** Every kind of block that a document may have. */
export const kinds: Readonly<Record<string, Examine>> = {
  // Run by documents.test.ts, which compares what is printed.
  console: ({ body }) => {
    if (!/^(?:\$ .*|\^[C\\])\n/.test(body)) return 'it begins with no command';
    // A wrong flag is shown only where its exit code is what the page is about.
    const [, ...after] = body.split(/^perturb: unknown (?:option|command) /m);
    return after.every((rest) => /^\$ .*$/m.exec(rest)?.[0] === '$ echo $?')
      ? ''
      : 'it shows a flag or a command that does not exist';
  },
  // Type-checked by library.test.ts.
  js: ({ file }, text) =>
    text.includes(`$ node ${file}\n`) ? '' : `no console block has $ node ${file}`,
  // A file that commands use.
  text: ({ file }, text) =>
    file !== undefined && text.match(/^\$ .*$/gm)?.some((line) => line.includes(file))
      ? ''
      : 'no command uses it',
  toml: (block) => judge(block, rulesOfToml(block)),
  trace: (block) =>
    judge(
      block,
      check(block.body, { role: 'check' })
        .findings.map(({ rule }) => rule)
        .filter((rule) => rule !== 'expression/extension'),
    ),
  json: ({ body }) => {
    JSON.parse(body);
    return '';
  },
  // The steps of yaml and groovy are run by documents.test.ts.
  yaml: ({ body }) => {
    parseYaml(body);
    return '';
  },
  groovy: (block) => (stepsOf(block).length > 0 ? '' : 'it has no step'),
  // Set-ups of editors, which the tests in test/editor run.
  lua: () => '',
  elisp: () => '',
  // Run by documents.test.ts, and by clone.test.ts.
  sh: (block) => (commandsOf(block).length > 0 ? '' : 'it has no command'),
};

function judge({ mark }: Block, rules: readonly string[]): string {
  if (mark === 'wrong') return rules.length > 0 ? '' : 'it is marked as wrong, and has no findings';
  return rules.filter((rule) => mark !== 'part' || !LACKING.test(rule)).join('\n');
}

function rulesOfToml({ file, body }: Block): string[] {
  const decoded = decodeSource(file ?? 'block.toml', Buffer.from(body));
  // Of Helix, whose test reads it.
  if (file === 'languages.toml') return [];
  if (
    file?.endsWith('perturb.toml') ||
    /^\[(?:lint|language|servers|benches|store)\b/m.test(body)
  ) {
    return rulesOfConfig(body);
  }
  const isManifest = /^(?:\[mutator\.actuator\]|\[\[mutator\.param\]\]|kind = )/m.test(body);
  const findings = isManifest ? loadManifest(decoded).findings : lint(decoded);
  return findings.map(({ rule }) => rule);
}

function rulesOfConfig(body: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-docs-'));
  writeFileSync(join(directory, 'perturb.toml'), body);
  const { findings } = loadConfig({ cwd: directory, env: {} }, undefined, allRules);
  rmSync(directory, { recursive: true });
  return findings.map(({ rule }) => rule);
}

/** What is wrong with arguments of Perturb; nothing when they name a command and flags that it has. */
export async function wrongUsage(args: readonly string[]): Promise<string> {
  if (args.join() === '--version') return '';
  const { words, asked } = readWords(args, { groups, commands }, '.');
  if (asked === undefined) return `no command: perturb ${args.join(' ')}`;
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  configure(command, await asked.load());
  command
    .option('--color')
    .option('--no-color')
    .action(() => {});
  try {
    await command.parseAsync(words.slice(asked.words.length), { from: 'user' });
    return '';
  } catch (error) {
    return `perturb ${args.join(' ')}: ${(error as Error).message}`;
  }
}
