import type { KindName } from './inspect.js';
import {
  type EventShape,
  joinVocabularies,
  type KindCounts,
  type Vocabulary,
} from './vocabulary.js';

/* The events of polls, which are known before any is recorded. */

/** The names of a poll's two events, at the probe of the poll's name. */
export const REQUEST = 'request';
export const RESPONSE = 'response';

const COMMON = { time: ['integer'], question: ['integer'] } as const;

/** The attributes of each event with the kinds of their values. */
const EVENTS: readonly (readonly [
  name: string,
  attributes: Readonly<Record<string, readonly KindName[]>>,
])[] = [
  [REQUEST, { ...COMMON, late: ['integer'] }],
  [
    RESPONSE,
    {
      ...COMMON,
      latency: ['integer'],
      ok: ['boolean'],
      status: ['integer'],
      error: ['string'],
      value: ['integer', 'float'],
      truncated: ['boolean'],
    },
  ],
];

/** The prefixes of the attributes that depend on the response. */
const ANSWERED = ['body'];

/** Adds the events of polls of these names to a vocabulary; those that were not recorded occur 0 times. */
export function withPolls(vocabulary: Vocabulary, names: readonly string[]): Vocabulary {
  if (names.length === 0) return vocabulary;
  const shapes = names.flatMap((probe) =>
    EVENTS.map(
      ([name, attributes]): EventShape => ({
        ...{ name, probe, events: 0 },
        attributes: new Map(Object.entries(attributes).map(([key, kinds]) => [key, never(kinds)])),
        ...(name === RESPONSE && { beginnings: ANSWERED }),
      }),
    ),
  );
  // Errors may have other texts than the recorded ones.
  const texts = new Map([['error', null]]);
  const polls: Vocabulary = { events: 0, shapes, texts, orders: new Map(), whole: true };
  return joinVocabularies([vocabulary, polls]);
}

function never(kinds: readonly KindName[]): KindCounts {
  return new Map(kinds.map((kind) => [kind, 0]));
}
