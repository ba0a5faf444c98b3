import { type ChildProcess, spawn } from 'node:child_process';

/*
 * A run that is killed cannot end its command. So a small shell waits beside it, in a session of its
 * own, at the other end of a pipe: when the pipe closes, whatever the reason, it kills the process
 * groups that it was told of.
 */

const SCRIPT = `groups=' '
while read -r action group; do
  case $action in
    begin) groups="$groups$group " ;;
    end) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -KILL -- "-$group" 2>/dev/null; done
`;

/** Ends process groups with this process, also when it is killed. */
export interface Guard {
  begin(group: number): void;
  end(group: number): void;
  /** Ends the guard, and the groups that it still has. */
  close(): void;
}

export function startGuard(): Guard {
  const shell: ChildProcess = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
  });
  // Without a shell there is no guard; a resumed run still looks for what was left.
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return {
    begin: (group) => void shell.stdin?.write(`begin ${group}\n`),
    end: (group) => void shell.stdin?.write(`end ${group}\n`),
    close: () => void shell.stdin?.end(),
  };
}
