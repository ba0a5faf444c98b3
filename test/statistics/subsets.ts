/** Every choice of so many of some values, each place counting by itself. */
export function subsets<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  const [first, ...rest] = values;
  if (size === 0) return [[]];
  if (first === undefined) return [];
  return [...subsets(rest, size - 1).map((some) => [first, ...some]), ...subsets(rest, size)];
}
