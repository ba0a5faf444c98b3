import type { TraceExpression } from '../../objective/index.js';
import { SessionError } from '../../session/index.js';
import type { Tape } from '../record/tape.js';

/** Whether preconditions are true of the events so far, looked at as events arrive. */
export interface PreconditionWatch {
  /** Something has arrived, or watching begins: looks soon. */
  look(): void;
  stop(): void;
}

/** What is watched, and who wants to know. */
export interface WatchSetup {
  readonly tape: () => Tape;
  /** The precondition of each mutation that still waits, by its position; none to look no more. */
  readonly waiting: () => ReadonlyMap<number, TraceExpression>;
  readonly onTrue: (at: readonly number[]) => void;
  readonly onError: (error: unknown) => void;
}

/** A look may take so much of the time: the machine is for the system that is looked at. */
const SHARE = 1 / 5;

export function watchPreconditions(setup: WatchSetup): PreconditionWatch {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = 0;
  /** Something has arrived during a look. */
  let looksAgain = false;

  const findTrue = async (): Promise<readonly number[]> => {
    try {
      const recorder = await setup.tape().soFar();
      return [...setup.waiting()].flatMap(([at, one]) => (recorder.isTrue(one) ? [at] : []));
    } catch (error) {
      // Events that have no order yet may get one.
      if (error instanceof SessionError) return [];
      throw error;
    }
  };

  const check = async (): Promise<void> => {
    const begun = performance.now();
    const found = await findTrue();
    pauseMs = (performance.now() - begun) * (1 / SHARE - 1);
    timer = undefined;
    if (found.length > 0) setup.onTrue(found);
    if (looksAgain) look();
  };

  const look = (): void => {
    if (setup.waiting().size === 0) return;
    looksAgain = timer !== undefined;
    timer ??= setTimeout(() => void check().catch(setup.onError), pauseMs);
  };

  return { look, stop: () => clearTimeout(timer) };
}
