import { validateHeaderValue } from 'node:http';
import { parseAddress, visible } from '../../../basics/index.js';
import { MAX_TOTAL_RATE, type PollSettings, parsePoll } from '../../../config/index.js';
import { quote } from '../../../diagnostics/index.js';
import {
  describePoll,
  fillVariables,
  type Poll,
  type RunRecord,
  variablesOf,
} from '../../../runner/index.js';
import { durationText } from '../../../values/index.js';
import { type Io, usageFailure } from '../../runtime/command.js';
import type { ConnectedBench } from './benches.js';

/** Default name of a poll on the command line. */
const UNNAMED = 'poll';

/**
 * Returns the polls in perturb.toml and in the `--poll` flags.
 *
 * @throws CommandFailure (usage) for an invalid address, or if two polls have the same name
 */
export function wantedPolls(
  settings: readonly PollSettings[],
  words: readonly string[],
): readonly Poll[] {
  const given = words.map((word) => {
    const [, name = UNNAMED, address = word] = /^([^=/:?#]+)=(.*)$/s.exec(word) ?? [];
    const poll = parsePoll(name, address);
    if ('problem' in poll) throw usageFailure(`--poll: ${poll.problem}`);
    return poll;
  });
  const polls = [...settings, ...given];
  const names = polls.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return polls;
  throw usageFailure(`two polls are named ${quote(twice)}`, 'Give each a name: --poll NAME=URL');
}

/** Throws a CommandFailure (usage) if the polls cannot run on these benches. */
export function refusePolls(
  polls: readonly Poll[] = [],
  benches: readonly ConnectedBench[],
  env: Io['env'],
): void {
  const rate = polls.reduce((sum, { everyMs }) => sum + 1_000 / everyMs, 0) * benches.length;
  if (rate > MAX_TOTAL_RATE) {
    throw usageFailure(
      `the polls would send ${Math.ceil(rate)} requests per second; the maximum is ${MAX_TOTAL_RATE}`,
      'Poll less often, or on fewer benches.',
    );
  }
  for (const poll of polls) {
    for (const { name = '', catalog, env: own } of benches) {
      if (catalog.mutators.some(({ probe }) => probe === poll.name)) {
        throw usageFailure(
          `poll ${quote(poll.name)} has the same name as a probe of the system`,
          'Rename the poll, because its name becomes the probe of its events.',
        );
      }
      const isShared =
        poll.command === undefined && variablesOf(poll).every((one) => !(one in own));
      if (benches.length > 1 && isShared) {
        throw usageFailure(
          `several benches cannot share poll ${quote(poll.name)}`,
          'Write {env:NAME} in the address of the poll, and set NAME in "env" for each bench.',
        );
      }
      refuseUnsetVariables(poll, { ...env, ...own }, name);
    }
  }
}

/**
 * Throws a CommandFailure (usage) if a poll's variable is not set, or has a value that is invalid
 * at the variable's position in the poll.
 */
export function refuseUnsetVariables(poll: Poll, env: Io['env'], bench: string): void {
  const at = bench === '' ? '' : ` on bench ${quote(bench)}`;
  const fail = (problem: string) => usageFailure(`poll ${quote(poll.name)}${at}: ${problem}`);
  for (const name of variablesOf(poll)) {
    if (env[name] === undefined) throw fail(`the variable ${name} is not set`);
  }
  const { http, tcp, headers = {} } = poll;
  if (http !== undefined && !URL.canParse(fillVariables(http, env))) {
    throw fail(`${http} is not a URL after its variables are replaced`);
  }
  if (tcp !== undefined && parseAddress(fillVariables(tcp, env)) === undefined) {
    throw fail(`${tcp} is not HOST:PORT after its variables are replaced`);
  }
  for (const [name, text] of Object.entries(headers)) {
    try {
      validateHeaderValue(name, fillVariables(text, env));
    } catch {
      throw fail(
        `the value of header ${quote(name)} has an invalid character, such as a line break`,
      );
    }
  }
}

/** Prints a run's manifest, polls and configured commands to stderr. */
export function printOwnCommands(
  io: Io,
  {
    serve,
    polls = [],
    setup,
    ready,
    collect,
    teardown,
  }: Pick<RunRecord, 'serve' | 'polls' | 'setup' | 'ready' | 'collect' | 'teardown'>,
): void {
  const linesOf = (key: string, vectors: readonly (readonly string[])[] = []) =>
    vectors.map((vector) => `${key}: ${vector.join(' ')}`);
  const lines = [
    ...(serve === undefined ? [] : [`serve: ${serve}`]),
    ...polls.map(
      (one) => `poll ${one.name}: ${describePoll(one)}, every ${durationText(one.everyMs)}`,
    ),
    ...linesOf('setup', setup?.commands),
    ...linesOf('ready', ready?.command && [ready.command]),
    ...linesOf('collect', collect?.commands),
    ...linesOf('teardown', teardown?.commands),
  ];
  for (const line of lines) io.stderr.write(`perturb: ${visible(line)}\n`);
}
