/** Something to fuzz: a way to hold one input to all that must be true of it. */
export interface Target {
  readonly name: string;
  /** Inputs to begin with; most are sound. */
  readonly seeds: readonly string[];
  /** Pieces that mean something in such an input. */
  readonly tokens: readonly string[];
  /**
   * Throws, or rejects, when something is not as it must be.
   *
   * @returns what the input made happen, such as the kinds of its findings: an
   *   input that makes something new happen is worth changing further
   */
  run(input: string): Iterable<string> | Promise<Iterable<string>>;
  close?(): Promise<void>;
}

/** Something that must be true of every input is not. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** @throws Broken, with a sentence that says what is wrong; the same for the same mistake */
export function hold(condition: boolean, wrong: string): asserts condition {
  if (!condition) throw new Broken(wrong);
}

/** What kind of message it is: without what it quotes of the input, and the end of a long one. */
export function kindOf(message: string): string {
  return message
    .replace(/((?<!\w)'|["`])(?:[^\\]|\\.)*?\1/gs, '$1$1')
    .replace(/[^ -~]|\d+/gs, '0')
    .slice(0, 80);
}
