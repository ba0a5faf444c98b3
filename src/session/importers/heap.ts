/** A priority queue of numbers, least first. */
export class Heap {
  /** The item at i is no greater than those at 2 i + 1 and 2 i + 2. */
  private readonly items: number[] = [];

  get least(): number | undefined {
    return this.items[0];
  }

  add(item: number): void {
    const { items } = this;
    let at = items.push(item) - 1;
    for (let above = (at - 1) >> 1; at > 0 && (items[above] as number) > item; ) {
      items[at] = items[above] as number;
      at = above;
      above = (at - 1) >> 1;
    }
    items[at] = item;
  }

  takeLeast(): void {
    const { items } = this;
    const item = items.pop();
    if (item === undefined || items.length === 0) return;
    let at = 0;
    for (let below = 1; below < items.length; below = 2 * at + 1) {
      if ((items[below + 1] ?? Number.POSITIVE_INFINITY) < (items[below] as number)) below++;
      if ((items[below] as number) >= item) break;
      items[at] = items[below] as number;
      at = below;
    }
    items[at] = item;
  }
}
