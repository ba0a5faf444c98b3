import type { AttributeValue } from '../../values/index.js';
import { formatValue } from './parameter.js';

/** Attributes by key, in serialization order. */
export type Attributes = ReadonlyMap<string, AttributeValue>;

/**
 * A reader that extracts known attributes from a set. An attribute with an unexpected value stays in `remaining` and
 * causes a warning.
 */
export class AttributeReader {
  readonly remaining: Map<string, AttributeValue>;
  readonly warnings: string[] = [];

  constructor(attributes: Attributes) {
    this.remaining = new Map(attributes);
  }

  /** Extracts an attribute if `read` accepts the value. `expected` describes accepted values. */
  take<T>(
    key: string,
    expected: string,
    read: (value: AttributeValue) => T | undefined,
  ): T | undefined {
    const value = this.remaining.get(key);
    if (value === undefined) return undefined;
    const result = read(value);
    if (result === undefined)
      this.warnings.push(`"${key}" is ${formatValue(value)}, not ${expected}`);
    else this.remaining.delete(key);
    return result;
  }

  text(key: string): string | undefined {
    return this.take(key, 'a string', stringOf);
  }

  word<T extends string>(key: string, words: readonly T[]): T | undefined {
    return this.take(key, `one of ${words.join(', ')}`, (value) =>
      words.find((word) => word === stringOf(value)),
    );
  }
}

/** Returns a string value's text; undefined for a value of another type. */
export function stringOf(value: AttributeValue): string | undefined {
  return value.type === 'string' ? value.value : undefined;
}
