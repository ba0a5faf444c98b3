import { type Dimension, valueCount } from '../runner/index.js';
import { type AttributeValue, equals, format } from '../values/index.js';
import { axisOf, shortNumber } from './axis.js';

/** A parameter's values, divided into consecutive parts. */
export interface Parts {
  /** The values of each part, such as `10 to 20`. */
  readonly texts: readonly string[];
  /** The edges of the parts along the axis, from 0 to 1. There is one more edge than parts. */
  readonly edges: readonly number[];
  /** Returns the index of the part that contains a value. */
  readonly placeOf: (value: AttributeValue) => number;
}

/**
 * Divides a parameter's values into equal parts on the scale of the axis. If there are few values,
 * each value is a part.
 *
 * @param most maximum number of parts
 * @param mostOptions maximum number of options with a part each; otherwise, neighbouring options
 * share a part
 */
export function rangePartsOf(dimension: Dimension, most: number, mostOptions = most): Parts {
  if (dimension.kind === 'choice') {
    const { values } = dimension;
    const size = values.length <= mostOptions ? 1 : Math.ceil(values.length / most);
    const texts = Array.from({ length: Math.ceil(values.length / size) }, (_, part) => {
      const options = values.slice(part * size, (part + 1) * size).map(format);
      return options.length === 1 ? String(options[0]) : `${options[0]} to ${options.at(-1)}`;
    });
    return {
      texts,
      edges: edgesOf(texts.length, (part) => Math.min(1, (part * size) / values.length)),
      placeOf: (value) => Math.floor(values.findIndex((one) => equals(one, value)) / size),
    };
  }
  const { at, valueAt } = axisOf(dimension);
  if (dimension.lower === dimension.upper) {
    return { texts: [shortNumber(dimension.lower)], edges: [0, 1], placeOf: () => 0 };
  }
  const values = valueCount(dimension);
  if (values !== undefined && values <= most) {
    const last = Number(values) - 1;
    const texts = Array.from({ length: last + 1 }, (_, place) =>
      shortNumber(valueAt(place / last)),
    );
    return {
      texts,
      edges: edgesOf(texts.length, (part) => part / texts.length),
      placeOf: (value) => Math.round(at(value) * last),
    };
  }
  const edges = edgesOf(most, (part) => part / most);
  const ends = edges.map((share) => shortNumber(valueAt(share)));
  return {
    texts: ends.slice(1).map((end, part) => `${ends[part]} to ${end}`),
    edges,
    placeOf: (value) => Math.min(most - 1, Math.max(0, Math.floor(at(value) * most))),
  };
}

function edgesOf(parts: number, at: (part: number) => number): readonly number[] {
  return Array.from({ length: parts + 1 }, (_, part) => at(part));
}
