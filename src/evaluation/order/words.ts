/** The words of a row of clock columns: what is looked up for a receive serves as many lanes. */
export const WORDS = 16;

/** So many of them a sweep holds in variables at a time, hence no loop over these. */
export const HELD = 8;
