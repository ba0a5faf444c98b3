/** How often a candidate may be tried; enough for a few thousand characters. */
const MOST_TRIES = 3_000;

/**
 * A part of a text that still has a property: leaves out stretches, from
 * halves to single units, for as long as something can be left out
 * (Zeller's delta debugging, without the complements that this finds anyway).
 *
 * @param has whether a text has the property; the given one does
 */
export async function shrink(
  text: string,
  has: (text: string) => boolean | Promise<boolean>,
  mostTries = MOST_TRIES,
): Promise<string> {
  let tries = 0;
  let smallest = text;
  for (let before = ''; before !== smallest; ) {
    before = smallest;
    for (let size = Math.ceil(smallest.length / 2); size > 0; size = size >> 1) {
      for (let at = smallest.length - size; at > -size; at -= size) {
        const start = Math.max(0, at);
        const candidate = smallest.slice(0, start) + smallest.slice(at + size);
        if (tries >= mostTries) return smallest;
        tries += 1;
        if (candidate !== smallest && (await has(candidate))) smallest = candidate;
      }
    }
  }
  return smallest;
}
