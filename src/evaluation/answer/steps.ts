import { Undecided } from '../exact/undecided.js';

/** A value, or a promise for a server's answer. The embedded engine answers synchronously. */
export type Awaitable<Value> = Value | Promise<Value>;

/** A computation that pauses at each promise until the promise settles. */
export type Steps<Value> = Generator<Promise<unknown>, Value, unknown>;

/** Awaits a value if it is a promise. Returns the value. */
export function* settle<Value>(awaitable: Awaitable<Value>): Steps<Value> {
  return awaitable instanceof Promise ? ((yield awaitable) as Value) : awaitable;
}

/**
 * Returns the result of a computation. If the computation is undecided, passes the reason to `note` and returns
 * undefined.
 */
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

/**
 * Runs a computation that awaits no promise.
 *
 * @throws {TypeError} if the computation awaits a promise
 */
export function runSync<Value>(steps: Steps<Value>): Value {
  const step = steps.next();
  if (!step.done) throw new TypeError('the work waits for a promise');
  return step.value;
}

/** Runs a computation, awaiting its promises. */
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
