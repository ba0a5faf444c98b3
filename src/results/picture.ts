import { OWN_PROBE } from '../basics/index.js';
import type { Evidence } from '../evaluation/index.js';
import { type Excerpt, excerptOf, type ShownEvent, textAt } from '../excerpt/index.js';
import type { Session } from '../session/index.js';

/** An excerpt with the mutations among its events; their probe is the first. */
export interface Picture extends Excerpt {
  readonly events: readonly PicturedEvent[];
}

export interface PicturedEvent extends ShownEvent {
  /** Its name; that of a mutation, with what was mutated. */
  readonly title: string;
}

/** How many mutations are shown. */
const MOST_OWN = 6;

/** The piece of evidence that is drawn: the nearest miss of an event alone, else the first. */
export function picturedEvidence(evidence: readonly Evidence[]): Evidence | undefined {
  const [first] = evidence;
  const isAlone = first !== undefined && Object.keys(first.binding).length === 1;
  return (isAlone ? evidence.find(({ why }) => why === 'near') : undefined) ?? first;
}

/** Returns the picture of a piece of evidence; undefined if it names no event of the session. */
export function pictureOf(session: Session, { binding }: Evidence): Picture | undefined {
  const { events, probes } = excerptOf(session, binding, ownEvents(session));
  if (!events.some(({ labels }) => labels.length > 0)) return undefined;
  return {
    events: events.map((one) => ({ ...one, title: titleOf(session, one) })),
    // Above the system is what is done to it.
    probes: [...probes].sort((a, b) => Number(b === OWN_PROBE) - Number(a === OWN_PROBE)),
  };
}

/** The events of the mutations, the first few. */
function ownEvents(session: Session): readonly number[] {
  const probe = session.probes.indexOf(OWN_PROBE);
  if (probe < 0) return [];
  const [from, to] = [session.start[probe] as number, session.start[probe + 1] as number];
  return Array.from({ length: Math.min(MOST_OWN, to - from) }, (_, at) => from + at);
}

function titleOf(session: Session, { event, name }: ShownEvent): string {
  return name.startsWith(`${OWN_PROBE}.`)
    ? `${name.slice(OWN_PROBE.length + 1)} ${textAt(session, event, 'mutator.name')}`.trim()
    : name;
}
