/** The words of a row of clock columns. A sweep holds them in variables, hence no loop over them. */
export const WORDS = 8;
