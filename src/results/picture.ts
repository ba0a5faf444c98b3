import { OWN_PROBE } from '../basics/index.js';
import type { Evidence } from '../evaluation/index.js';
import { excerptOf, type ShownEvent, textAt } from '../excerpt/index.js';
import type { Session } from '../session/index.js';

/** The events of a space-time diagram. */
export interface Picture {
  /** In an order that agrees with what happened before what. */
  readonly events: readonly PicturedEvent[];
  /** Those of mutations first, then the probes by name: alike in all sessions of a system. */
  readonly lanes: readonly string[];
  readonly bars: readonly MutationBar[];
}

export interface PicturedEvent extends ShownEvent {
  /** Its name; that of a mutation without its prefix. */
  readonly title: string;
  /** Its probe; for a mutation, the mutator. */
  readonly lane: string;
}

/** A mutation from its injection to its reset. */
export interface MutationBar {
  readonly lane: string;
  /** Places in `events`; without an end it was in force to the end. */
  readonly from: number;
  readonly to: number | undefined;
}

/** The number of mutation events that are shown. */
const MAX_OWN_EVENTS = 12;
const [INJECTED, RESET] = [`${OWN_PROBE}.injected`, `${OWN_PROBE}.reset`];

/** The piece of evidence that is drawn: the nearest miss of an event alone, else the first. */
export function picturedEvidence(evidence: readonly Evidence[]): Evidence | undefined {
  const [first] = evidence;
  const isAlone = first !== undefined && Object.keys(first.binding).length === 1;
  return (isAlone ? evidence.find(({ why }) => why === 'near') : undefined) ?? first;
}

/** Returns the picture of a piece of evidence; undefined if it names no event of the session. */
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

/** The first events that say when mutations began and ended. */
function mutationEvents(session: Session): readonly number[] {
  const probe = session.probes.indexOf(OWN_PROBE);
  if (probe < 0) return [];
  const [from, to] = [session.start[probe] as number, session.start[probe + 1] as number];
  return Array.from({ length: to - from }, (_, at) => from + at)
    .filter((event) => isMutation(textAt(session, event, 'name')))
    .slice(0, MAX_OWN_EVENTS);
}
