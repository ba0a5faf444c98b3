import { OWN_PROBE } from '../basics/index.js';
import type { Evidence } from '../evaluation/index.js';
import { excerptOf, type ShownEvent, textAt } from '../excerpt/index.js';
import type { Session } from '../session/index.js';

/** The content of a space-time diagram. */
export interface Picture {
  /** The events in causal order. */
  readonly events: readonly PicturedEvent[];
  /**
   * The mutators' lanes, followed by the probes' lanes. Probes are sorted by name, so all sessions
   * of a system have the same order.
   */
  readonly lanes: readonly string[];
  readonly bars: readonly MutationBar[];
}

export interface PicturedEvent extends ShownEvent {
  /** The event's name. Mutation events have no prefix. */
  readonly title: string;
  /** The event's probe. For a mutation event, its mutator. */
  readonly lane: string;
}

/** A mutation's interval, from injection to reset. */
export interface MutationBar {
  readonly lane: string;
  /** Indices into `events`. Without `to`, the session contains no reset of the mutation. */
  readonly from: number;
  readonly to: number | undefined;
}

/** Maximum number of mutation events to show. */
const MAX_OWN_EVENTS = 12;
const [INJECTED, RESET] = [`${OWN_PROBE}.injected`, `${OWN_PROBE}.reset`];

/**
 * Selects the piece of evidence to draw. If the first piece has a single event and there is a near
 * miss, returns the near miss. Otherwise returns the first piece.
 */
export function picturedEvidence(evidence: readonly Evidence[]): Evidence | undefined {
  const [first] = evidence;
  const isAlone = first !== undefined && Object.keys(first.binding).length === 1;
  return (isAlone ? evidence.find(({ why }) => why === 'near') : undefined) ?? first;
}

/**
 * Returns the diagram of a piece of evidence; undefined if the session contains none of its events.
 */
export function pictureOf(session: Session, { binding }: Evidence): Picture | undefined {
  const shown = excerptOf(session, binding, mutationEvents(session)).events;
  if (!shown.some(({ labels }) => labels.length > 0)) return undefined;
  const events = shown.map((one): PicturedEvent => {
    const { event, name, probe } = one;
    const mutator = isMutation(name) ? textAt(session, event, 'mutator.name') : '';
    const title = isMutation(name) ? name.slice(OWN_PROBE.length + 1) : name;
    const lane = mutator === '' ? probe : mutator;
    return { ...one, title, lane };
  });
  const bars = events.flatMap(({ name, lane }, from): MutationBar[] => {
    if (name !== INJECTED) return [];
    const to = events.findIndex(
      (one, at) => at > from && one.lane === lane && isMutation(one.name),
    );
    return [{ lane, from, to: to < 0 ? undefined : to }];
  });
  const ofMutators = [...new Set(bars.map(({ lane }) => lane))];
  const others = [...new Set(events.map(({ lane }) => lane))].filter(
    (lane) => !ofMutators.includes(lane),
  );
  const byName = others.sort((a, b) =>
    a === OWN_PROBE ? -1 : b === OWN_PROBE ? 1 : a < b ? -1 : 1,
  );
  return { events, lanes: [...ofMutators, ...byName], bars };
}

function isMutation(name: string): boolean {
  return name === INJECTED || name === RESET;
}

/** Returns a session's first injection and reset events. */
function mutationEvents(session: Session): readonly number[] {
  const probe = session.probes.indexOf(OWN_PROBE);
  if (probe < 0) return [];
  const [from, to] = [session.start[probe] as number, session.start[probe + 1] as number];
  return Array.from({ length: to - from }, (_, at) => from + at)
    .filter((event) => isMutation(textAt(session, event, 'name')))
    .slice(0, MAX_OWN_EVENTS);
}
