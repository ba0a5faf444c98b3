import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { binDirectory } from './program.js';

/** Completes a command line in a directory: all that its last word may become. */
export type Complete = (line: string) => Promise<readonly string[]>;

/** Whether a program can be started. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

/*
 * Both shells run on a terminal of their own, which "script" makes, and get keys. A key puts
 * all completions into the line; then the line itself becomes the arguments of "show".
 */

const SHOW = `show() { printf '<shown>'; printf '%s\\n' "$@"; printf '</shown>'; }`;

const rcFiles = {
  bash: `PS1='ready> '
${SHOW}
bind '"\\C-xa": insert-completions'
bind 'set mark-directories on'
bind 'set enable-bracketed-paste off'
source completion.bash
`,
  zsh: `PS1='ready> '
${SHOW}
unsetopt zle_bracketed_paste prompt_sp
bindkey -e
autoload -Uz compinit
compinit -u -d zcompdump
zle -C all-matches complete-word _generic
bindkey '^Xa' all-matches
zstyle ':completion:all-matches:*' insert true
zstyle ':completion:all-matches::::' completer _all_matches _complete
source completion.zsh
`,
};

/** Starts bash or zsh in a directory that holds the completion script as completion.SHELL. */
export function startShell(shell: 'bash' | 'zsh', directory: string): Complete {
  const rcFile = join(directory, shell === 'bash' ? 'bashrc' : '.zshrc');
  writeFileSync(rcFile, rcFiles[shell]);
  const command = { bash: 'bash --noprofile --rcfile bashrc -i', zsh: 'zsh -d -i' }[shell];
  const child = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    cwd: directory,
    env: {
      PATH: `${binDirectory()}:${process.env['PATH']}`,
      TERM: 'dumb',
      HOME: directory,
      ZDOTDIR: directory,
      LANG: 'C',
    },
  });
  const ended = new Promise((done) => child.on('close', done));
  onTestFinished(async () => {
    child.stdin.write('\x15exit\r');
    await ended;
  });
  let output = '';
  let heard = () => {};
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    heard();
  });
  void ended.then(() => heard());
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((done, fail) => {
      heard = () => {
        const match = pattern.exec(output);
        if (match !== null) {
          output = output.slice(match.index + match[0].length);
          done(match);
        } else if (child.exitCode !== null) fail(new Error(`${shell} ended: ${output}`));
      };
      heard();
    });
  return async (line) => {
    await until(/ready> /);
    // All completions, then "show " at the beginning of the line.
    child.stdin.write(`${line}\x18a\x01show \r`);
    const [, shown = ''] = await until(/<shown>(.*?)<\/shown>/s);
    const words = shown
      .split(/\r?\n/)
      .filter((word) => word !== '')
      .map(withoutSlash);
    const complete = line.trimEnd().split(' ').length - (line.endsWith(' ') ? 0 : 1);
    return words.slice(complete).sort();
  };
}

/** Fish tells what it would offer. */
export function completeInFish(directory: string): Complete {
  const PATH = `${binDirectory()}:${process.env['PATH']}`;
  return async (line) => {
    const { stdout, stderr } = spawnSync(
      'fish',
      ['--no-config', '--command', 'source completion.fish; complete --do-complete $argv[1]', line],
      { cwd: directory, encoding: 'utf8', env: { PATH, HOME: directory } },
    );
    if (stderr !== '') throw new Error(stderr);
    return stdout
      .split('\n')
      .filter((word) => word !== '')
      .map((word) => withoutSlash(word.split('\t')[0] as string))
      .sort();
  };
}

/** Shells differ in whether they end the name of a directory with a slash. */
function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
