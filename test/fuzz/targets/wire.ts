import { isDeepStrictEqual } from 'node:util';
import {
  readListing,
  readMutation,
  writeListing,
  writeMutation,
} from '../../../src/mutators/index.js';
import { readCorpus } from '../corpus.js';
import { holdNewObjective } from '../new-objective.js';
import { hold, kindOf, type Target } from '../target.js';

export const JSON_TOKENS = [
  ...['{', '}', '[', ']', ',', ':', '"', '"a"', '""', 'null', 'true', '{}', '[]', '1', '1.0'],
  ...['"mutation"', '"params"', '"speed"', '"mode"', '"gusts"', '"note"', '"gust"', '"__proto__"'],
  ...['"6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e"', '"mutator.params.speed"', '"constructor"'],
  ...[
    '{"NonFiniteFloat": "NaN"}',
    '{"BigInt": "1"}',
    '{"Timestamp": 1}',
    '{"LogicalTime": [1,2,3,4]}',
  ],
  ...[
    '{"TimelineId": "6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e"}',
    '"\\ud800"',
    '"\\u0000"',
    '\\u0041',
  ],
  ...['{"__proto__": {"mutation": "6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e", "params": {}}}'],
];

const LISTING_TOKENS = [
  ...['"mutator_correlation_id"', '"attributes"', '"mutator.name"', '"mutator.layer"'],
  ...['"mutator.params.speed.name"', '"mutator.params.speed.value_type"', '"Float"', '"Integer"'],
  ...['"mutator.params.speed.value_min"', '"mutator.params.speed.option_set.a"', '"mutator.tags"'],
  ...['"mutator.params.speed.least_effect_value"', '"mutator.params.speed.default_value"'],
  ...['"mutator.params..name"', '"mutator.params.a.b.c"', '"mutator.statefulness"'],
];

const ID = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';
const MUTATIONS = [
  `{"mutation":"${ID}","params":{}}`,
  `{"mutation":"${ID}","params":{"speed":30,"gusts":9007199254740993,"mode":"gust"}}`,
  `{"mutation":"${ID}","params":{"mutator.params.speed":5.0,"note":"\\ud83c\\udf21"}}`,
  `{"mutation":"${ID}","params":{"speed":{"NonFiniteFloat":"Infinity"},"at":{"Timestamp":1}}}`,
];

/** The JSON of the API: bodies of requests and of answers, as any server or client may send them. */
export function wireTarget(): Target {
  return {
    name: 'wire',
    seeds: [...MUTATIONS, ...readCorpus(['fixtures/mutators'], 'listing.json')],
    tokens: [...JSON_TOKENS, ...LISTING_TOKENS],
    run(text) {
      return [...holdMutation(text), ...holdListing(text)];
    },
  };
}

function holdMutation(text: string): readonly string[] {
  const read = readMutation(text);
  if ('reasons' in read) {
    hold(read.reasons.length > 0, 'a mutation is refused without a reason');
    return read.reasons.map(kindOf);
  }
  const plain = JSON.parse(text);
  hold(
    Object.hasOwn(plain, 'mutation') && Object.hasOwn(plain, 'params'),
    'a mutation from nowhere',
  );
  const keys = Object.keys(plain.params);
  hold(isDeepStrictEqual(new Set(read.mutation.params.keys()), new Set(keys)), 'params are lost');
  const again = readMutation(writeMutation(read.mutation));
  hold(isDeepStrictEqual(again, read), 'a mutation that is written reads as another one');
  return [...read.mutation.params.values()].map(({ type }) => type);
}

function holdListing(text: string): readonly string[] {
  const read = readListing(text);
  if ('problem' in read) return [kindOf(read.problem)];
  if (read.mutators.length > 0) holdNewObjective(read.mutators);
  const written = writeListing(read.mutators);
  const again = readListing(written);
  hold('mutators' in again, 'a listing that is written cannot be read');
  hold(writeListing(again.mutators) === written, 'a listing is written differently once read');
  return [
    ...read.warnings.map(({ message }) => kindOf(message)),
    ...read.mutators.flatMap((one) => Object.keys(one)),
  ];
}
