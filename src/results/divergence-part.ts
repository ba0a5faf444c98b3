import { OWN_PROBE } from '../basics/index.js';
import { type Excerpt, excerptOf, textAt } from '../excerpt/index.js';
import type { Divergence } from '../explain/index.js';
import { type Session, ValueKind } from '../session/index.js';
import { at } from '../source/index.js';

/** The first difference between a failing and a passing session, prepared for output. */
export interface DivergencePart {
  readonly text: string;
  /** A note on the other passing sessions, if there are any. */
  readonly note: string | undefined;
  readonly probe: string;
  /** Number of events in the timeline before the difference. */
  readonly common: number;
  readonly failing: DivergingSession;
  readonly passing: DivergingSession;
  readonly shared: number;
  readonly others: number;
}

/** One of the two sessions, at their first difference. */
export interface DivergingSession {
  readonly name: string;
  /**
   * The name of the differing event; undefined if the timeline ends. If both events have the same
   * name, the text adds the start or end of a span, or the event's senders.
   */
  readonly event: string | undefined;
  readonly excerpt: Excerpt;
}

/** A session with its name in sentences, such as `attempt 4`. */
export interface NamedSession {
  readonly name: string;
  readonly session: Session;
}

/** The note on two sessions without a divergence. */
export const SAME_ORDER =
  'The two sessions have the same events in the same causal order. They differ only in values and times.';

/** Number of the timeline's events to show before and after the difference. */
const [BEFORE, AFTER] = [3, 1];

/**
 * Describes the first difference between two sessions.
 *
 * @param noun the noun for a session, such as `attempt`
 */
export function divergencePart(
  divergence: Divergence,
  failing: NamedSession,
  passing: NamedSession,
  noun: string,
): DivergencePart {
  const { failingLine, passingLine, common, shared, others } = divergence;
  const probe = probeOf(failing.session, failingLine);
  const events = eventTexts(
    failing.session,
    divergence.failing,
    passing.session,
    divergence.passing,
  );
  const [own, other] = [
    diverging(failing, failingLine, common, divergence.failing, events[0]),
    diverging(passing, passingLine, common, divergence.passing, events[1]),
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

/**
 * Returns texts that distinguish two events: their names if these differ, otherwise their first
 * other difference.
 */
function eventTexts(
  session: Session,
  event: number | undefined,
  otherSession: Session,
  otherEvent: number | undefined,
): readonly [string | undefined, string | undefined] {
  if (event === undefined || otherEvent === undefined) {
    return [nameOf(session, event), nameOf(otherSession, otherEvent)];
  }
  const differing = [nameOf, spanText, senderText].find(
    (textOf) => textOf(session, event) !== textOf(otherSession, otherEvent),
  );
  const textOf = differing ?? nameOf;
  return [textOf(session, event), textOf(otherSession, otherEvent)];
}

function nameOf(session: Session, event: number | undefined): string | undefined {
  return event === undefined ? undefined : textAt(session, event, 'name');
}

function spanText(session: Session, event: number): string {
  const isEnd = session.columns.get('span.end')?.kinds[event] === ValueKind.boolean;
  return `the ${isEnd ? 'end' : 'start'} of ${nameOf(session, event)}`;
}

function senderText(session: Session, event: number): string {
  const { probes, timelines } = session;
  const senders = sendersOf(session, event).flatMap(({ event: sender, line }) => {
    const probe = probes[at(timelines.probe, line)];
    return probe === OWN_PROBE ? [] : [`${nameOf(session, sender)} at ${probe}`];
  });
  const after = senders.length === 0 ? 'with no message before it' : `after ${senders.join(', ')}`;
  return `${nameOf(session, event)} ${after}`;
}

function noteOf(shared: number, others: number, name: string, noun: string): string | undefined {
  if (others === 0) return undefined;
  if (shared === 0) return `None of the other ${others} passing ${noun}s continues like ${name}.`;
  const verb = shared === 1 ? 'continues' : 'continue';
  return `${shared} of the other ${others} passing ${noun}s ${verb} like ${name}, so this difference alone does not explain the failure.`;
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
  text: string | undefined,
): DivergingSession {
  const [from, end] = [at(session.timelines.start, line), at(session.timelines.start, line + 1)];
  const here = from + common;
  const shown = new Set<number>();
  for (let one = Math.max(from, here - BEFORE); one < Math.min(end, here + 1 + AFTER); one++) {
    shown.add(one);
    for (const { event: sender } of sendersOf(session, one)) shown.add(sender);
  }
  const excerpt = excerptOf(session, {}, [...shown]);
  const events = excerpt.events.map((one) =>
    one.event === event ? { ...one, labels: ['first difference'] } : one,
  );
  return { name, event: text, excerpt: { ...excerpt, events } };
}

/** Returns the events that sent an event's received messages, with the senders' timelines. */
function sendersOf(
  { order }: Session,
  event: number,
): readonly { readonly event: number; readonly line: number }[] {
  const receive = order.receives.indexOf(event);
  if (receive < 0) return [];
  const senders = [];
  for (let edge = at(order.edgeStart, receive); edge < at(order.edgeStart, receive + 1); edge++) {
    senders.push({ event: at(order.edgeFrom, edge), line: at(order.edgeTimeline, edge) });
  }
  return senders;
}
