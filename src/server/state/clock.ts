/** The time that the lifecycle goes by. */
export interface Clock {
  /** Milliseconds on a clock that nobody sets, for spans of time. */
  now(): number;
  /** Milliseconds since 1970, for people to read. */
  date(): number;
  /** Calls `run` once when so many milliseconds have passed; the result prevents it. */
  after(ms: number, run: () => void): () => void;
}

/** Beyond it, Node's timers fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The clock of this machine. A duration may be longer than a timer of Node can be. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      const next = left > LONGEST_TIMER ? () => wait(left - LONGEST_TIMER) : run;
      timer = setTimeout(next, Math.min(left, LONGEST_TIMER));
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
