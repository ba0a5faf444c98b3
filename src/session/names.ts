/** The names that an event's own parts have among its attributes. */
export const RESERVED: readonly string[] = ['name', 'probe', 'seq', 'time'];
