import type { Metadata } from '../diagnostics/index.js';

/** Joins each key's values with commas. */
export function joinMetadataValues(metadata: Metadata = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(metadata).map(([word, values]) => [word, values.join(', ')]),
  );
}

/** Formats each key of the metadata with its values as a line. */
export function metadataLines(metadata: Metadata | undefined): readonly string[] {
  return Object.entries(joinMetadataValues(metadata)).map(([word, text]) => `${word}: ${text}`);
}

/** Merges the metadata of several measurements, without duplicate values. */
export function joinedMetadata(all: readonly (Metadata | undefined)[]): Metadata {
  const values = new Map<string, Set<string>>();
  for (const [word, some] of all.flatMap((one) => Object.entries(one ?? {}))) {
    values.set(word, new Set([...(values.get(word) ?? []), ...some]));
  }
  return Object.fromEntries([...values].map(([word, some]) => [word, [...some]]));
}
