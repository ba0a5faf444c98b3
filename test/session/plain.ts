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
