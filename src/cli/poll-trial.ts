import { setTimeout as pause } from 'node:timers/promises';
import { quote, suggest } from '../diagnostics/index.js';
import { renderFacts, type TableStyle } from '../reporters/terminal/index.js';
import { describePoll, type Poll, startPolls } from '../runner/index.js';
import { type EventRecord, RESPONSE } from '../session/index.js';
import { durationText, nanosecondsText } from '../values/index.js';
import type { Config } from './config/config.js';
import { refuseUnsetVariables } from './objective/run/polls.js';
import { type CommandContext, usageFailure } from './runtime/command.js';

/** A poll trial's results; times in nanoseconds. */
interface PollTrial {
  readonly name: string;
  readonly asked: number;
  /** Requests per second; absent after a single request. */
  readonly rate?: number;
  /** Number of `ok` responses. */
  readonly ok: number;
  /** Latencies of the `ok` responses; absent if there are none. */
  readonly latency?: {
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly max: number;
  };
  /** Number of responses that arrived after the next request was due. */
  readonly late: number;
  /** Number of other responses by error or status, as in `status 503`. */
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * Runs a trial of a poll from perturb.toml for a number of milliseconds.
 *
 * @throws CommandFailure (usage) if the poll does not exist or cannot run
 */
export async function tryPoll(
  { io }: CommandContext,
  { polls, directory }: Config,
  name: string,
  forMs: number,
): Promise<{ readonly poll: Poll; readonly trial: PollTrial }> {
  const poll = polls.find((one) => one.name === name);
  if (poll === undefined) {
    const known = polls.map((one) => one.name);
    const help = suggest(name, known) ?? `Add a table [polls.${name}] with http, tcp or command.`;
    throw usageFailure(`there is no poll ${quote(name)} in perturb.toml`, help);
  }
  refuseUnsetVariables(poll, io.env, '');
  const events: EventRecord[] = [];
  const context = { env: io.env, cwd: directory };
  const polling = startPolls([poll], context, (event) => events.push(event));
  try {
    await pause(forMs);
    await polling.finish(AbortSignal.timeout(poll.everyMs + poll.timeoutMs));
  } finally {
    polling.stop();
  }
  return { poll, trial: trialOf(poll, events) };
}

/** Summarizes a poll's events. */
function trialOf({ name, everyMs }: Poll, events: readonly EventRecord[]): PollTrial {
  const answers = events.filter((one) => one.name === RESPONSE);
  const requests = events.filter((one) => one.name !== RESPONSE);
  const times = requests.map(({ time = 0n }) => Number(time - (requests[0]?.time ?? 0n)));
  const seconds = (times.at(-1) ?? 0) / 1e9;
  const attributeOf = ({ attributes }: EventRecord, key: string) => attributes.get(key)?.value;
  const latencyOf = (one: EventRecord) => Number(attributeOf(one, 'latency'));
  const good = answers.filter((one) => attributeOf(one, 'ok') === true);
  const sorted = good.map(latencyOf).sort((a, b) => a - b);
  const percentile = (p: number) => sorted[Math.ceil((sorted.length * p) / 100) - 1] as number;
  const failures: Record<string, number> = {};
  for (const answer of answers) {
    if (attributeOf(answer, 'ok') === true) continue;
    const kind = String(attributeOf(answer, 'error') ?? `status ${attributeOf(answer, 'status')}`);
    failures[kind] = (failures[kind] ?? 0) + 1;
  }
  return {
    ...{ name, asked: requests.length, ok: good.length, failures },
    ...(seconds > 0 && { rate: (requests.length - 1) / seconds }),
    ...(sorted.length > 0 && {
      latency: {
        ...{ p50: percentile(50), p90: percentile(90), p99: percentile(99) },
        max: sorted.at(-1) as number,
      },
    }),
    late: answers.filter((one) => latencyOf(one) > everyMs * 1e6).length,
  };
}

/** Formats a trial as text. */
export function trialText(poll: Poll, trial: PollTrial, look: TableStyle): string {
  const { asked, rate, ok, latency, late, failures } = trial;
  const text = (nanoseconds: number) => nanosecondsText(Math.round(nanoseconds / 1_000) * 1_000);
  const failed = Object.entries(failures).map(([kind, count]) => `${count} ${kind}`);
  return renderFacts(
    [
      ['poll', `${describePoll(poll)}, every ${durationText(poll.everyMs)}`],
      ['requests', rate === undefined ? String(asked) : `${asked}, ${rate.toFixed(1)} per second`],
      ['ok', String(ok)],
      [
        'latency',
        latency &&
          `median ${text(latency.p50)}, 90 % ${text(latency.p90)}, 99 % ${text(latency.p99)}, longest ${text(latency.max)}`,
      ],
      ['late', `${late} after the next request was due`],
      ['failures', failed.join(', ') || undefined],
    ],
    look,
  );
}
