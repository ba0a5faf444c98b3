/** The connected components of things that belong together (union-find). */
export class Components<T> {
  readonly #parents = new Map<T, T>();

  /** Puts all of these in one component. */
  join([first, ...others]: readonly T[]): void {
    if (first === undefined) return;
    const root = this.rootOf(first);
    for (const other of others) this.#parents.set(this.rootOf(other), root);
  }

  /** What stands for the component: the same for all its members. */
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
