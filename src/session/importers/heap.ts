/** A priority queue of numbers, least first. */
export class Heap {
  /** A binary heap: the item at i is at most the items at 2 i + 1 and 2 i + 2. */
  private readonly items: number[] = [];

  get min(): number | undefined {
    return this.items[0];
  }

  add(item: number): void {
    const { items } = this;
    let at = items.push(item) - 1;
    for (let parent = (at - 1) >> 1; at > 0 && (items[parent] as number) > item; ) {
      items[at] = items[parent] as number;
      at = parent;
      parent = (at - 1) >> 1;
    }
    items[at] = item;
  }

  takeMin(): void {
    const { items } = this;
    const item = items.pop();
    if (item === undefined || items.length === 0) return;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if ((items[child + 1] ?? Number.POSITIVE_INFINITY) < (items[child] as number)) child++;
      if ((items[child] as number) >= item) break;
      items[at] = items[child] as number;
      at = child;
    }
    items[at] = item;
  }
}
