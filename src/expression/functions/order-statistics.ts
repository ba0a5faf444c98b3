import type { AggregateFunction } from './aggregate-function.js';

export const max: AggregateFunction = {
  name: 'max',
  aliases: ['maximum'],
  argument: 'attribute',
  meaning: 'the largest value; undefined without any',
  fewest: 1n,
  carries: { kind: 'extreme', end: 'max' },
};

export const min: AggregateFunction = {
  name: 'min',
  aliases: ['minimum'],
  argument: 'attribute',
  meaning: 'the smallest value; undefined without any',
  fewest: 1n,
  carries: { kind: 'extreme', end: 'min' },
};
