import type { TraceExpression } from '../../objective/index.js';
import { SessionError } from '../../session/index.js';
import type { LateEffectWindow } from '../record/late-effect-window.js';

/** Whether preconditions are true of the events so far, evaluated as events arrive. */
export interface PreconditionWatch {
  /** Something has arrived, or watching begins: evaluates soon. */
  poll(): void;
  stop(): void;
}

/** What is watched, and who wants to know. */
export interface WatchSetup {
  readonly window: () => LateEffectWindow;
  /** The precondition of each mutation that still waits, by its position; none to stop. */
  readonly waiting: () => ReadonlyMap<number, TraceExpression>;
  readonly onTrue: (at: readonly number[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Polling may take so much of the time: the machine is for the system under test. */
const SHARE = 1 / 5;

export function watchPreconditions(setup: WatchSetup): PreconditionWatch {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = 0;

  const findTrue = (): readonly number[] => {
    try {
      const recorder = setup.window().soFar();
      return [...setup.waiting()].flatMap(([at, one]) => (recorder.isTrue(one) ? [at] : []));
    } catch (error) {
      // Events that have no order yet may get one.
      if (error instanceof SessionError) return [];
      throw error;
    }
  };

  const check = (): void => {
    timer = undefined;
    const begun = performance.now();
    try {
      const found = findTrue();
      pauseMs = (performance.now() - begun) * (1 / SHARE - 1);
      if (found.length > 0) setup.onTrue(found);
    } catch (error) {
      setup.onError(error);
    }
  };

  return {
    poll() {
      if (setup.waiting().size > 0) timer ??= setTimeout(check, pauseMs);
    },
    stop: () => clearTimeout(timer),
  };
}
