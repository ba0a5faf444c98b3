import { forEachValue, integerAt } from '../columns/column.js';
import { RESERVED, type Session } from '../session.js';
import { valueWriter } from './write-value.js';

/** Texts are handed out in pieces of about so many characters. */
const PIECE = 1 << 16;
/** The values of so many events are put together at a time. */
const BATCH = 4096;

/**
 * The session in its neutral form, JSON Lines, in pieces. Reading it gives the same session.
 * Interactions name events by `seq`, and by their place from 0 at a probe without.
 */
export function* writeNeutral(session: Session): Generator<string, void, undefined> {
  let text = header(session);
  for (const lines of [events(session), interactions(session)]) {
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length >= PIECE) {
        yield text;
        text = '';
      }
    }
  }
  if (text !== '') yield text;
}

function header({ name, source }: Session): string {
  if (name === undefined && source === undefined) return '';
  return `${JSON.stringify({ session: 1, name, source })}\n`;
}

function* events({ probes, start, size, columns, texts }: Session): Generator<string> {
  const write = valueWriter(texts);
  const own = ['name', 'seq', 'time'].map((key) => [key, columns.get(key)] as const);
  const attributes = [...columns]
    .filter(([key]) => !RESERVED.includes(key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  let probe = 0;
  for (let first = 0; first < size; first += BATCH) {
    const end = Math.min(first + BATCH, size);
    const heads = new Array<string>(end - first).fill('');
    const values = new Array<string>(end - first).fill('');
    for (const [key, column] of own) {
      if (column === undefined) continue;
      forEachValue(column, first, end, (event, kind, number, exact) => {
        heads[event - first] += `,"${key}":${write(kind, number, exact, key === 'time')}`;
      });
    }
    for (const [key, column] of attributes) {
      const written = JSON.stringify(key);
      forEachValue(column, first, end, (event, kind, number, exact) => {
        const comma = values[event - first] === '' ? '' : ',';
        values[event - first] += `${comma}${written}:${write(kind, number, exact)}`;
      });
    }
    for (let event = first; event < end; event++) {
      while (event >= (start[probe + 1] as number)) probe++;
      const value = values[event - first] as string;
      const rest = value === '' ? '' : `,"attributes":{${value}}`;
      yield `{"probe":${JSON.stringify(probes[probe])}${heads[event - first]}${rest}}`;
    }
  }
}

function* interactions({ probes, start, columns, order }: Session): Generator<string> {
  const { receives, receiveProbe, edgeStart, edgeFrom, edgeProbe } = order;
  const seq = columns.get('seq');
  const written = probes.map((probe) => JSON.stringify(probe));
  const reference = (probe: number, event: number) => {
    const place = seq?.kinds[event] ? integerAt(seq, event) : event - (start[probe] as number);
    return `[${written[probe]},${place}]`;
  };
  for (let receive = 0; receive < receives.length; receive++) {
    const to = reference(receiveProbe[receive] as number, receives[receive] as number);
    const end = edgeStart[receive + 1] as number;
    for (let edge = edgeStart[receive] as number; edge < end; edge++) {
      const from = reference(edgeProbe[edge] as number, edgeFrom[edge] as number);
      yield `{"from":${from},"to":${to}}`;
    }
  }
}
