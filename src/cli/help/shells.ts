import { type CommandModule, exitCodes } from '../runtime/command.js';

/*
 * For each shell, the script printed by `perturb completion`, and the installation instructions.
 * The script runs "perturb complete SHELL -- WORDS" to complete a word. `perturb complete` prints
 * one candidate per line, followed by a tab and a summary, and prints ":files" or ":directories" if
 * a path may follow.
 */
const shells = {
  bash: {
    script: `# Completes perturb in bash. Written by "perturb completion bash".
_perturb() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      :directories) compopt -o dirnames 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("$1" complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _perturb perturb
`,
    install: `For one session:
  source <(perturb completion bash)
For every session, add that line to ~/.bashrc, or, with the package
bash-completion, write the script to its directory, as in the example.`,
    example: 'perturb completion bash > ~/.local/share/bash-completion/completions/perturb',
  },
  zsh: {
    script: `#compdef perturb
# Completes perturb in zsh. Written by "perturb completion zsh".
_perturb() {
  local line paths
  local -a candidates
  for line in "\${(@f)$("$words[1]" complete zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) paths=files ;;
      :directories) paths=directories ;;
      ?*) candidates+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  if (( $#candidates )); then _describe perturb candidates; fi
  if [[ -n $paths ]]; then
    compset -P '*='
    if [[ $paths == files ]]; then _files; else _files -/; fi
  fi
}
if [[ $funcstack[1] == _perturb ]]; then _perturb "$@"; else compdef _perturb perturb; fi
`,
    install: `For one session:
  source <(perturb completion zsh)
For every session, add that line to ~/.zshrc, after compinit, or write the
script as _perturb to a directory of $fpath, as in the example with
  fpath=(~/.zfunc $fpath)
in ~/.zshrc, before compinit.`,
    example: 'perturb completion zsh > ~/.zfunc/_perturb',
  },
  fish: {
    script: `# Completes perturb in fish. Written by "perturb completion fish".
function __perturb_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l parts (string match -r '^((?:.*=)?)(.*)$' -- $words[-1])
    for line in (command $words[1] complete fish -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                for path in (complete -C "'' $parts[3]")
                    echo $parts[2]$path
                end
            case :directories
                for path in (complete -C "'' $parts[3]" | string match -r '^[^\\t]*/(?:\\t.*)?$')
                    echo $parts[2]$path
                end
            case '*'
                echo $line
        end
    end
end
complete -c perturb -f -a '(__perturb_complete)'
`,
    install: `For one session:
  perturb completion fish | source
For every session, write the script to fish's completion directory, as in the
example.`,
    example: 'perturb completion fish > ~/.config/fish/completions/perturb.fish',
  },
};

/**
 * Joins the words that bash split at `=` and `:`.
 *
 * @returns the words, and the prefix of the last word that bash keeps
 */
export function joinBashWords(broken: readonly string[]) {
  const words: string[] = [];
  let glued = false;
  for (const word of broken) {
    const isBreak = /^[=:]/.test(word);
    if (words.length > 0 && (glued || isBreak)) words[words.length - 1] += word;
    else words.push(word);
    glued = /[=:]$/.test(word);
  }
  const whole = words.at(-1) ?? '';
  const last = broken.at(-1) ?? '';
  return { words, kept: glued ? whole : whole.slice(0, whole.length - last.length) };
}

export function completionCommand(shell: keyof typeof shells): CommandModule {
  const { script, install, example } = shells[shell];
  return {
    help: `
The script completes commands, flags and their values, rule ids and files.

${install}

Example:
  ${example}
`,
    run({ io }) {
      io.stdout.write(script);
      return exitCodes.ok;
    },
  };
}
