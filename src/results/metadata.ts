import type { Metadata } from '../diagnostics/index.js';

/** Metadata with one text for each word; several values are separated by commas. */
export function metadataTexts(metadata: Metadata = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(metadata).map(([word, values]) => [word, values.join(', ')]),
  );
}

/** A line for each word of metadata. */
export function metadataLines(metadata: Metadata | undefined): readonly string[] {
  return Object.entries(metadataTexts(metadata)).map(([word, text]) => `${word}: ${text}`);
}
