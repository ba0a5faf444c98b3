import { Undecided } from '../exact/undecided.js';

/** A value, or the promise of one: the embedded engine answers synchronously, a server later. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Work that pauses at each promise until that is settled. */
export type Steps<Value> = Generator<Promise<unknown>, Value, unknown>;

/** Returns a value once it is available. */
export function* settle<Value>(awaitable: Awaitable<Value>): Steps<Value> {
  return awaitable instanceof Promise ? ((yield awaitable) as Value) : awaitable;
}

/** Returns the result of some work, or undefined if it is undecided: then the reason is recorded. */
export function* attempt<Value>(
  work: () => Steps<Value>,
  note?: (reason: Undecided) => void,
): Steps<Value | undefined> {
  try {
    return yield* work();
  } catch (error) {
    if (!(error instanceof Undecided)) throw error;
    note?.(error);
    return undefined;
  }
}

/** Runs work that awaits no promise. */
export function runSync<Value>(steps: Steps<Value>): Value {
  const step = steps.next();
  if (!step.done) throw new TypeError('the work waits for a promise');
  return step.value;
}

/** Runs work, and awaits its promises. */
export async function runAsync<Value>(steps: Steps<Value>): Promise<Value> {
  let step = steps.next();
  while (!step.done) {
    const resume = await step.value.then(
      (value) => () => steps.next(value),
      (error: unknown) => () => steps.throw(error),
    );
    step = resume();
  }
  return step.value;
}
