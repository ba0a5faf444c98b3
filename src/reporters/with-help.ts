import type { Finding } from '../diagnostics/index.js';

/** What a finding says, with its help behind it. For formats that have one text for both. */
export function withHelp({ message, help }: Finding, separator: string): string {
  return help === undefined ? message : `${message}${separator}${help}`;
}
