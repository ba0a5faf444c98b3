/** To which of the two lists of a pair a message goes. */
export type Direction = 'to a' | 'to b';
