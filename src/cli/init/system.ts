import type { Poll } from '../../runner/index.js';
import { readEventSource } from '../objective/run/flags.js';
import { wantedPolls } from '../objective/run/polls.js';
import { type Io, usageFailure } from '../runtime/command.js';
import type { Prompter } from './dialog.js';
import { isAddress, reach, type Service } from './service.js';
import { askForSetting, settingArguments } from './setting.js';

/** The user's description of the system. */
export interface System {
  /** Absent for an HTTP service, which receives requests from Perturb itself. */
  readonly command?: readonly string[] | undefined;
  readonly service?: Service | undefined;
  /** The arguments for adding a setting's mutator to a manifest; empty if no setting is needed. */
  readonly setting: readonly string[];
  /** Sources of events in addition to the command. */
  readonly events: readonly string[];
  readonly polls: readonly Poll[];
  /**
   * True if the user configured a poll. The command may then be the polled service, which runs
   * until it is stopped.
   */
  readonly mayServe: boolean;
}

interface SystemFlags {
  readonly key?: string;
  readonly address?: string;
  readonly events: readonly string[];
  readonly poll: readonly string[];
}

/** Poll interval in milliseconds, short enough to compute a percentile after a few seconds. */
const EVERY_MS = 50;

/**
 * Returns the system's description, from flags and, for missing details, from prompts.
 *
 * @param has the existing files, which make prompts unnecessary
 */
export async function describeSystem(
  io: Io,
  ask: Prompter,
  words: readonly string[],
  flags: SystemFlags,
  has: { readonly manifest: boolean; readonly config: boolean },
): Promise<System> {
  if (flags.key !== undefined && flags.address !== undefined) {
    throw usageFailure(
      '--key and --address cannot be combined, because init injects only one kind of fault',
    );
  }
  const given = {
    words,
    service: flags.address === undefined ? undefined : await reach(flags.address),
  };
  const first =
    words.length > 0 || given.service !== undefined
      ? given
      : await ask({
          text: 'Which command runs the system once (such as node service.mjs), or which address does the system listen on (such as http://127.0.0.1:8000/)?',
          missing: 'init needs the command that runs the system (after --) or --address',
          read: async (answer) =>
            isAddress(answer)
              ? { words, service: await reach(answer) }
              : { words: inShell(answer), service: undefined },
        });
  const { service } = first;
  const command =
    first.words.length > 0 || service?.url !== undefined
      ? first.words
      : await ask({
          text: 'Which command uses the service at $PERTURB_PROXY and writes events to $PERTURB_SESSION?',
          missing: 'init needs the command that uses the service, after --',
          read: inShell,
        });
  const isAsked = !has.manifest && service === undefined;
  const setting = !isAsked
    ? []
    : flags.key === undefined
      ? await askForSetting(io, ask)
      : settingArguments(io, flags.key);
  // Also polls the service directly, because the proxy's faults do not affect direct requests.
  const own = service?.url === undefined ? [] : [`service=${service.url}`];
  const evidence = { events: flags.events, polls: pollsOf([...own, ...flags.poll]) };
  const isToldAll = has.config || evidence.events.length + evidence.polls.length > 0;
  const { events, polls } = isToldAll
    ? evidence
    : await ask({
        text: 'Any other source of events? A log file, otlp, or a URL to poll; Enter for $PERTURB_SESSION alone',
        missing: '',
        otherwise: '',
        read: (answer) => evidenceIn(io, answer),
      });
  const mayServe = command.length > 0 && polls.length > own.length;
  return {
    ...{ command: command.length > 0 ? command : undefined, service, setting, events, polls },
    mayServe,
  };
}

function evidenceIn({ cwd }: Io, answer: string): Pick<System, 'events' | 'polls'> {
  if (answer === '') return { events: [], polls: [] };
  if (answer.includes('://')) return { events: [], polls: pollsOf([answer]) };
  readEventSource(cwd, answer, {});
  return { events: [answer], polls: [] };
}

/** Parses polls in the notation of `objective run --poll`, and sets their interval to `EVERY_MS`. */
function pollsOf(words: readonly string[]): readonly Poll[] {
  return wantedPolls([], words).map((one) => ({ ...one, everyMs: EVERY_MS }));
}

/** Splits a line into a command's words. Passes a line with special characters to a shell. */
function inShell(line: string): readonly string[] {
  return /[^\w\s./:=@%+,-]/.test(line) ? ['sh', '-c', line] : line.split(/\s+/);
}
