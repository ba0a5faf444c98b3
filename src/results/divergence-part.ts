import { type Excerpt, excerptOf, textAt } from '../excerpt/index.js';
import type { Divergence } from '../explain/index.js';
import type { Session } from '../session/index.js';
import { at } from '../source/index.js';

/** Where a failing session and a passing one first differ, in words and as two pictures. */
export interface DivergencePart {
  readonly text: string;
  /** The course of other passing sessions there. */
  readonly note: string | undefined;
  readonly probe: string;
  /** Number of events that both have in common there. */
  readonly common: number;
  readonly failing: DivergingSession;
  readonly passing: DivergingSession;
  readonly shared: number;
  readonly others: number;
}

/** One of the two sessions at the point where they differ. */
export interface DivergingSession {
  readonly name: string;
  /** The name of the event by which it differs; undefined where its timeline ends. */
  readonly event: string | undefined;
  readonly excerpt: Excerpt;
}

/** A session with its name in sentences, such as `attempt 4`. */
export interface NamedSession {
  readonly name: string;
  readonly session: Session;
}

/** The note about two sessions that nowhere diverge. */
export const SAME_ORDER =
  'The two sessions have the same events in the same causal order: they differ in values and times alone.';

/** Number of the timeline's events shown before and after the difference. */
const [BEFORE, AFTER] = [3, 1];

/** @param noun what the other sessions are of, such as `attempt` */
export function divergencePart(
  divergence: Divergence,
  failing: NamedSession,
  passing: NamedSession,
  noun: string,
): DivergencePart {
  const { failingLine, passingLine, common, shared, others } = divergence;
  const probe = probeOf(failing.session, failingLine);
  const [own, other] = [
    diverging(failing, failingLine, common, divergence.failing),
    diverging(passing, passingLine, common, divergence.passing),
  ];
  const begins =
    common === 0
      ? 'both differ from the first event on:'
      : `both begin with the same ${common === 1 ? 'event' : `${common} events`}; then`;
  return {
    text: `At ${probe}, ${begins} ${hasText(passing.name, other.event)}, and ${hasText(failing.name, own.event)}.`,
    note: noteOf(shared, others, failing.name, noun),
    ...{ probe, common, failing: own, passing: other, shared, others },
  };
}

function hasText(name: string, event: string | undefined): string {
  return event === undefined ? `${name} has no more events there` : `${name} has ${event}`;
}

function noteOf(shared: number, others: number, name: string, noun: string): string | undefined {
  if (others === 0) return undefined;
  if (shared === 0) return `None of the other ${others} passing ${noun}s goes on like ${name}.`;
  const go = shared === 1 ? 'goes' : 'go';
  return `${shared} of the other ${others} passing ${noun}s ${go} on like ${name}, so this difference alone does not decide.`;
}

function probeOf({ probes, timelines, texts }: Session, line: number): string {
  const probe = probes[at(timelines.probe, line)] as string;
  const name = texts[at(timelines.name, line)];
  return name === undefined ? probe : `${probe}, timeline ${name}`;
}

function diverging(
  { name, session }: NamedSession,
  line: number,
  common: number,
  event: number | undefined,
): DivergingSession {
  const [from, end] = [at(session.timelines.start, line), at(session.timelines.start, line + 1)];
  const here = from + common;
  const shown = new Set<number>();
  for (let one = Math.max(from, here - BEFORE); one < Math.min(end, here + 1 + AFTER); one++) {
    shown.add(one);
    for (const sender of sendersOf(session, one)) shown.add(sender);
  }
  const excerpt = excerptOf(session, {}, [...shown]);
  const events = excerpt.events.map((one) =>
    one.event === event ? { ...one, labels: ['first difference'] } : one,
  );
  return {
    name,
    event: event === undefined ? undefined : textAt(session, event, 'name'),
    excerpt: { ...excerpt, events },
  };
}

/** The events whose messages an event receives. */
function sendersOf({ order }: Session, event: number): readonly number[] {
  const receive = order.receives.indexOf(event);
  if (receive < 0) return [];
  return [
    ...order.edgeFrom.subarray(at(order.edgeStart, receive), at(order.edgeStart, receive + 1)),
  ];
}
