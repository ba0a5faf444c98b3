import type { Attribute, Call, Measure, Operand, Term } from './ast.js';
import {
  type Fact,
  mayDecide,
  type Saying,
  type Sayings,
  sayingOf,
  sayingOfMeasure,
} from './facts.js';
import { FUNCTIONS } from './functions.js';
import { labelScope, type Scope } from './scope.js';
import type { Tree } from './tree.js';
import { collectLeaves, type Leaf } from './walk.js';

/** What the rules look at, gathered once for all of them; everything in text order. */
export interface Survey {
  /** The labels that MATCH binds. */
  readonly bound: ReadonlySet<string>;
  /** How attributes are written in FILTER and AGGREGATE. */
  readonly scope: Scope;
  /** The comparisons and events of MATCH. */
  readonly inPatterns: readonly Leaf[];
  readonly inFilter: readonly Leaf[];
  /**
   * What is worth a closer look of all that is said: what may be true or false
   * by itself, what kinds forbid, and what speaks of a subject that another
   * speaks of too. Of most expressions, nothing is.
   */
  readonly suspects: Sayings;
  /** The functions of AGGREGATE. */
  readonly calls: readonly Call[];
  /** The attributes of AGGREGATE that are where one can be: not those in `count(x)`. */
  readonly measured: readonly Attribute[];
}

/** Looks through a tree once. */
export function survey(tree: Tree): Survey {
  const { match, filter, aggregate } = tree;
  const bound = new Set<string>();
  for (const { text } of tree.labels) bound.add(text);
  const scope = labelScope(tree, bound);
  const said = new Said();
  const inPatterns: Leaf[] = [];
  for (const { condition, label } of match?.patterns ?? []) {
    const own: Scope = { kind: 'pattern', label: label.text };
    const start = inPatterns.length;
    collectLeaves(condition, inPatterns);
    said.addLeaves(inPatterns, start, own);
  }
  const inFilter: Leaf[] = [];
  if (filter !== undefined) {
    collectLeaves(filter.condition, inFilter);
    said.addLeaves(inFilter, 0, scope);
  }
  const calls: Call[] = [];
  const measured: Attribute[] = [];
  for (const measure of aggregate?.measures ?? []) {
    said.add(measure, sayingOfMeasure(measure, scope));
    addCall(measure.left, calls, measured);
    addCall(measure.right, calls, measured);
  }
  return { bound, scope, inPatterns, inFilter, suspects: said.suspects(), calls, measured };
}

function addCall(term: Term, calls: Call[], measured: Attribute[]): void {
  if (term.kind !== 'call') return;
  calls.push(term);
  const argument: Operand | undefined = term.argument;
  if (argument?.kind !== 'attribute') return;
  if (FUNCTIONS.get(term.name.text)?.argument !== 'none') measured.push(argument);
}

const NONE: Sayings = new Map();

/** Gathers what is said. */
class Said {
  readonly #nodes: (Leaf | Measure)[] = [];
  readonly #sayings: Saying[] = [];
  readonly #subjects = new Set<string>();
  readonly #repeated = new Set<string>();
  #isSuspect = false;

  addLeaves(leaves: readonly Leaf[], start: number, scope: Scope): void {
    for (let at = start; at < leaves.length; at += 1) {
      const leaf = leaves[at] as Leaf;
      this.add(leaf, sayingOf(leaf, scope));
    }
  }

  add(node: Leaf | Measure, saying: Saying): void {
    this.#nodes.push(node);
    this.#sayings.push(saying);
    if (saying.kind !== 'facts') {
      this.#isSuspect = true;
      return;
    }
    const { facts } = saying;
    for (let at = 0; at < facts.length; at += 1) {
      const fact = facts[at] as Fact;
      const { key } = fact.subject;
      const before = this.#subjects.size;
      if (this.#subjects.add(key).size === before) this.#repeated.add(key);
      if (mayDecide(fact)) this.#isSuspect = true;
    }
  }

  suspects(): Sayings {
    if (!this.#isSuspect && this.#repeated.size === 0) return NONE;
    const suspects = new Map<Leaf | Measure, Saying>();
    for (const [at, saying] of this.#sayings.entries()) {
      if (this.#suspects(saying)) suspects.set(this.#nodes[at] as Leaf | Measure, saying);
    }
    return suspects;
  }

  #suspects(saying: Saying): boolean {
    if (saying.kind !== 'facts') return true;
    return saying.facts.some((fact) => mayDecide(fact) || this.#repeated.has(fact.subject.key));
  }
}
