/** Things that belong together, directly or through others (union-find). */
export class Groups<T> {
  readonly #parents = new Map<T, T>();

  /** Puts all of these in one group. */
  join([first, ...others]: readonly T[]): void {
    if (first === undefined) return;
    const root = this.rootOf(first);
    for (const other of others) this.#parents.set(this.rootOf(other), root);
  }

  /** What stands for the group: the same for all its members. */
  rootOf(thing: T): T {
    let root = thing;
    for (let up = this.#parents.get(root); up !== undefined && up !== root; ) {
      root = up;
      up = this.#parents.get(root);
    }
    for (let at = thing; at !== root; ) {
      const up = this.#parents.get(at) as T;
      this.#parents.set(at, root);
      at = up;
    }
    return root;
  }
}
