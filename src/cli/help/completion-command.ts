import type { Command } from 'commander';
import type { CommandModule, CommandTable } from '../runtime/command.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { bashScript } from './completion/bash.js';
import { fishScript } from './completion/fish.js';
import { zshScript } from './completion/zsh.js';
import { describeProgram } from './describe-program.js';

const shells = {
  bash: {
    script: bashScript,
    install: `For one session:
  source <(perturb completion bash)
For every session, put that line into ~/.bashrc, or, with the package
bash-completion, write the script where it looks, as in the example.`,
    example: 'perturb completion bash > ~/.local/share/bash-completion/completions/perturb',
  },
  zsh: {
    script: zshScript,
    install: `For one session:
  source <(perturb completion zsh)
For every session, put that line into ~/.zshrc, after compinit, or write the
script as _perturb into a directory of $fpath, as in the example with
  fpath=(~/.zfunc $fpath)
in ~/.zshrc, before compinit.`,
    example: 'perturb completion zsh > ~/.zfunc/_perturb',
  },
  fish: {
    script: fishScript,
    install: `For one session:
  perturb completion fish | source
For every session, write the script where fish looks, as in the example.`,
    example: 'perturb completion fish > ~/.config/fish/completions/perturb.fish',
  },
};

/** The command that prints the completion script for a shell, made from the table of commands. */
export function completion(shell: keyof typeof shells, table: CommandTable): CommandModule {
  const { script, install, example } = shells[shell];
  return {
    configure(command: Command) {
      command.addHelpText(
        'after',
        `
It completes commands, flags, their values, ids of rules and files.

${install}

After an update of Perturb, write it again.

Example:
  ${example}
`,
      );
    },
    async run({ io }) {
      io.stdout.write(script(await describeProgram(table)));
      return exitCodes.ok;
    },
  };
}
