type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** A copy without the members that are undefined: optional members are absent, not undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
