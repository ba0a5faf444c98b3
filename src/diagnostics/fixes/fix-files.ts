import { decodeSource } from '../../source/index.js';
import type { Finding } from '../finding.js';
import { applyFixes } from './apply-fixes.js';

/** Fixes can make room for others; a project's files need two or three rounds at most. */
const MOST_ROUNDS = 10;

/** A file after its fixes. */
export interface Fixed {
  /** As they were, if nothing could be fixed. */
  readonly bytes: Uint8Array;
  /** What is left. */
  readonly findings: readonly Finding[];
  readonly changed: boolean;
}

/**
 * Makes the fixes of a file until none is left. Every byte that no fix changes
 * stays. A file that is not UTF-8 stays as it is: its bytes cannot be recovered
 * from its text.
 */
export function fixBytes(
  path: string,
  bytes: Uint8Array,
  lint: (bytes: Uint8Array) => readonly Finding[],
): Fixed {
  let current = bytes;
  let findings = lint(current);
  if (decodeSource(path, bytes).invalid.length > 0) return { bytes, findings, changed: false };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { source } = decodeSource(path, current);
    const text = applyFixes(source.text, findings);
    if (text === source.text) break;
    current = Buffer.from((source.bom ? '\ufeff' : '') + text);
    findings = lint(current);
  }
  return { bytes: current, findings, changed: current !== bytes };
}
