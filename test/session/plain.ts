import { type Column, integerAt, type Session, ValueKind } from '../../src/session/index.js';

/** An event as one compares it: values with their kinds, without numbers of texts. */
export type PlainEvent = Readonly<Record<string, string>>;

export interface PlainSession {
  readonly name: string | undefined;
  readonly source: string | undefined;
  readonly events: readonly PlainEvent[];
  /** `sender -> receiver`, by the numbers of events. */
  readonly interactions: readonly string[];
}

/** A session without what does not matter: how texts are numbered, how columns are kept. */
export function plain(session: Session): PlainSession {
  const { order } = session;
  const names = [...session.columns.keys()].sort();
  const events = Array.from({ length: session.size }, (_, event) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = shown(session, name, event);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  );
  const interactions = [...order.receives].flatMap((receiver, receive) =>
    [...order.edgeFrom.slice(order.edgeStart[receive], order.edgeStart[receive + 1])]
      .sort((a, b) => a - b)
      .map((sender) => `${sender} -> ${receiver}`),
  );
  return { name: session.name, source: session.source, events, interactions };
}

/** A value and its kind, such as `integer 5`. */
export function shown(session: Session, name: string, event: number): string | undefined {
  const column = session.columns.get(name);
  const number = column?.numbers[event] as number;
  switch (column?.kinds[event]) {
    case ValueKind.integer:
      return `integer ${integerAt(column as Column, event)}`;
    case ValueKind.float:
      return `float ${Object.is(number, -0) ? '-0' : number}`;
    case ValueKind.boolean:
      return `boolean ${number === 1}`;
    case ValueKind.string:
      return `string ${session.texts[number]}`;
    case ValueKind.other:
      return `other ${session.texts[number]}`;
    default:
      return undefined;
  }
}

/** Whether event a comes before event b, for all of them: by the edges and the timelines alone. */
export function closure({ size, timelines, order }: Session): (a: number, b: number) => boolean {
  const into = Array.from({ length: size }, (): number[] => []);
  for (const [timeline, first] of timelines.start.entries()) {
    const end = timelines.start[timeline + 1] ?? first;
    for (let event = first + 1; event < end; event++) {
      into[event]?.push(event - 1);
    }
  }
  for (const [receive, receiver] of order.receives.entries()) {
    const edges = order.edgeFrom.slice(order.edgeStart[receive], order.edgeStart[receive + 1]);
    into[receiver]?.push(...edges);
  }
  const before = into.map(() => new Uint8Array(size));
  const done = new Uint8Array(size);
  const visit = (event: number) => {
    if (done[event]) return;
    done[event] = 1;
    for (const earlier of into[event] as number[]) {
      visit(earlier);
      const [own, other] = [before[event], before[earlier]] as [Uint8Array, Uint8Array];
      own[earlier] = 1;
      for (let at = 0; at < size; at++) own[at] = (own[at] as number) | (other[at] as number);
    }
  };
  for (let event = 0; event < size; event++) visit(event);
  return (a, b) => before[b]?.[a] === 1;
}
