import type { Finding } from '../diagnostics/index.js';

/** What a token means, decoded once: its value, or why it has none. */
export type Reading<T> = { readonly value: T } | { readonly problem: Finding };
