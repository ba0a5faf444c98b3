import type { KindName } from './inspect.js';
import {
  type EventShape,
  joinVocabularies,
  type KindCounts,
  type Vocabulary,
} from './vocabulary.js';

/* The events of polls, known before the first recording. */

/** The names of a poll's two events. Their probe has the poll's name. */
export const REQUEST = 'request';
export const RESPONSE = 'response';

const COMMON = { time: ['integer'], question: ['integer'] } as const;

/** A poll's events: their attributes, and the kinds of the attributes' values. */
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

/** Prefixes of the attributes that come from the response. */
const ANSWERED = ['body'];

/** Adds the events of the named polls to a vocabulary. Unrecorded events have a count of 0. */
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
  // `null`, because later errors may have new texts.
  const texts = new Map([['error', null]]);
  const polls: Vocabulary = { events: 0, shapes, texts, orders: new Map(), whole: true };
  return joinVocabularies([vocabulary, polls]);
}

function never(kinds: readonly KindName[]): KindCounts {
  return new Map(kinds.map((kind) => [kind, 0]));
}
