import { quote } from '../../diagnostics/index.js';

/** A mutator's id in a sentence or a command: plain where that is safe, so that it can be copied. */
export function idText(id: string): string {
  return /^[\w./:-]+$/.test(id) ? id : quote(id);
}
