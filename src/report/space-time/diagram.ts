import type { Evidence } from '../../evaluation/index.js';
import type { Session } from '../../session/index.js';
import { element, type Markup } from '../markup.js';
import { DIM, INK, line, RULE, round, shorten, svg, text } from '../svg/svg.js';
import { causalPath, type Message } from './causal-path.js';
import { eventAt, probeOf, textAt } from './event-at.js';

/** Events of a session that a picture shows. */
interface Shown {
  readonly event: number;
  readonly probe: number;
  /** The label that the expression binds it to. */
  readonly label?: string;
}

const OWN_PROBE = 'perturb';
/** A picture with more is no longer read. */
const MOST_EVENTS = 24;

/**
 * The space-time diagram of evidence: a line for each probe, a dot for each event that is bound,
 * or on the way from one to the next, and an arrow for each message on the way. The mutations are
 * shown too. Undefined where the evidence names no event of the session.
 */
export function spaceTime(session: Session, { binding }: Evidence): Markup | undefined {
  const bound = Object.entries(binding).flatMap(([label, place]) => {
    const event = eventAt(session, place);
    return event === undefined ? [] : [{ event, probe: probeOf(session, event), label }];
  });
  if (bound.length === 0) return undefined;
  const messages = waysBetween(session, [
    ...bound.map(({ event }) => event),
    ...ownEvents(session),
  ]);
  const shown = new Map<number, Shown>();
  for (const event of ownEvents(session))
    shown.set(event, { event, probe: probeOf(session, event) });
  for (const one of messages.flatMap(({ from, to }) => [from, to])) {
    if (shown.size < MOST_EVENTS) shown.set(one, { event: one, probe: probeOf(session, one) });
  }
  for (const one of bound) shown.set(one.event, one);
  const drawn = messages.filter(({ from, to }) => shown.has(from) && shown.has(to));
  return draw(session, [...shown.values()], drawn);
}

/** The events of the mutations, the first few. */
function ownEvents(session: Session): readonly number[] {
  const probe = session.probes.indexOf(OWN_PROBE);
  if (probe < 0) return [];
  const [from, to] = [session.start[probe] as number, session.start[probe + 1] as number];
  return Array.from({ length: Math.min(6, to - from) }, (_, at) => from + at);
}

function waysBetween(session: Session, events: readonly number[]): readonly Message[] {
  const messages = new Map<string, Message>();
  for (const from of events) {
    for (const to of events) {
      if (from === to) continue;
      for (const one of causalPath(session, from, to) ?? []) {
        messages.set(`${one.from}:${one.to}`, one);
      }
    }
  }
  return [...messages.values()];
}

/** The column of each event: behind all that happened before it, of those that are shown. */
function columnsOf(shown: readonly Shown[], messages: readonly Message[]): Map<number, number> {
  const events = [...shown].sort((a, b) => a.event - b.event);
  const columns = new Map(events.map(({ event }) => [event, 0]));
  const edges = [
    ...messages,
    ...events.flatMap(({ event, probe }, at) => {
      const next = events[at + 1];
      return next !== undefined && next.probe === probe ? [{ from: event, to: next.event }] : [];
    }),
  ];
  // Longest ways from the start: at most one more step a round, and there is no circle.
  for (let round = 0; round < shown.length; round += 1) {
    for (const { from, to } of edges) {
      const least = (columns.get(from) ?? 0) + 1;
      if ((columns.get(to) ?? 0) < least) columns.set(to, least);
    }
  }
  return columns;
}

const [LEFT, TOP, ROW, STEP] = [140, 46, 64, 84];

function draw(session: Session, shown: readonly Shown[], messages: readonly Message[]): Markup {
  const columns = columnsOf(shown, messages);
  const probes = [...new Set(shown.map(({ probe }) => probe))].sort((a, b) => {
    const [one, other] = [a, b].map((probe) => session.probes[probe] === OWN_PROBE);
    return Number(other) - Number(one) || a - b;
  });
  const x = (event: number) => LEFT + 30 + (columns.get(event) ?? 0) * STEP;
  const y = (probe: number) => TOP + probes.indexOf(probe) * ROW;
  const last = Math.max(...columns.values());
  const width = LEFT + 60 + last * STEP + 60;
  const at = new Map(shown.map((one) => [one.event, one]));
  const point = (event: number): readonly [number, number] => [
    x(event),
    y(at.get(event)?.probe ?? 0),
  ];
  const names = shown
    .filter(({ label }) => label !== undefined)
    .map(
      ({ event, label, probe }) =>
        `${label} is ${nameOf(session, event)} at ${session.probes[probe]}`,
    );
  return svg(
    {
      width,
      height: TOP + (probes.length - 1) * ROW + 44,
      label: `Space-time diagram: ${names.join('; ')}`,
    },
    probes.map((probe) => [
      text(LEFT - 14, y(probe) + 4, shorten(session.probes[probe] ?? '', 18), 'end'),
      line([LEFT, y(probe)], [width - 20, y(probe)]),
    ]),
    messages.map(({ from, to }) => arrow(point(from), point(to))),
    shown.map((one) => dot(session, one, point(one.event))),
  );
}

function nameOf(session: Session, event: number): string {
  return textAt(session, event, 'name');
}

function dot(
  session: Session,
  { event, label }: Shown,
  [x, y]: readonly [number, number],
): Markup[] {
  const own = nameOf(session, event);
  const name = own.startsWith(`${OWN_PROBE}.`)
    ? `${own.slice(OWN_PROBE.length + 1)} ${textAt(session, event, 'mutator.name')}`
    : own;
  const circle = element('circle', {
    cx: round(x),
    cy: y,
    r: label === undefined ? 4 : 6.5,
    fill: label === undefined ? '#ffffff' : INK,
    stroke: INK,
    'stroke-width': 1.5,
  });
  return [
    circle,
    text(x, y - 12, shorten(name, 13), 'middle', label === undefined ? DIM : INK),
    ...(label === undefined ? [] : [text(x, y + 22, shorten(label, 13), 'middle')]),
  ];
}

/** A message; its head ends at the rim of the dot. */
function arrow([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): Markup {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [ex, ey] = [x2 - dx * 8, y2 - dy * 8];
  const wing = (side: 1 | -1) =>
    `${round(ex - dx * 8 - side * dy * 4)} ${round(ey - dy * 8 + side * dx * 4)}`;
  return element('path', {
    d: `M${round(x1 + dx * 7)} ${round(y1 + dy * 7)}L${round(ex)} ${round(ey)}M${wing(1)}L${round(ex)} ${round(ey)}L${wing(-1)}`,
    fill: 'none',
    stroke: RULE,
    'stroke-width': 1.5,
  });
}
