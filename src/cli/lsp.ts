import { Option } from 'commander';
import { rulePageUrl, version } from '../version.js';
import { type Configure, exitCodes, type Run, usageFailure } from './runtime/command.js';

interface Flags {
  readonly stdio?: true;
}

export const help = `
An editor starts this. It checks objectives, manifests and perturb.toml while
they are typed, and ends when the editor does. docs/editors.md has the set-up
for each editor.

Example:
  perturb lsp --stdio
`;

export const configure: Configure = (command) => {
  command
    .option('--stdio', 'speak the protocol on stdin and stdout')
    // The protocol has editors add it. The connection reads it, and ends with that process.
    .addOption(new Option('--clientProcessId <pid>').hideHelp());
};

export const run: Run<Flags> = async ({ io }, _, { stdio }) => {
  if (!stdio) {
    throw usageFailure(
      'the language server speaks on stdin and stdout only',
      'Start it with --stdio.',
    );
  }
  const { serveStdio } = await import('../editor/index.js');
  await serveStdio({ version, pageOf: rulePageUrl, env: io.env });
  return exitCodes.ok;
};
