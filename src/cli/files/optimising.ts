import { setFlagsFromString } from 'node:v8';

/** How V8's optimiser is held back. */
interface Budget {
  readonly flag: string;
  /** What a function has to run before it is optimised. */
  readonly late: number;
  /** What V8 itself asks for. */
  readonly usual: number;
}

/*
 * V8 of Node 20 and 22 optimises each function so early that over some hundred
 * files it takes longer than what it saves. The middle optimiser of later
 * versions does not.
 */
const BUDGETS: Readonly<Record<string, Budget>> = {
  /** In units of bytecode. */
  '11.3': { flag: '--interrupt-budget', late: 800_000, usual: 67_584 },
  /** In calls of the whole function. */
  '12.4': { flag: '--invocation-count-for-turbofan', late: 20_000, usual: 3_000 },
};

const [major, minor] = process.versions.v8.split('.');
const budget = BUDGETS[`${major}.${minor}`];

/** Has V8 optimise, in every thread, only what runs for long. */
export function optimiseLate(): void {
  if (budget !== undefined) setFlagsFromString(`${budget.flag}=${budget.late}`);
}

/**
 * Takes `optimiseLate` back. With a flag of V8 changed, a starting thread can't
 * use the compiled code of Node's own modules, and takes twice as long.
 */
export function optimiseAsUsual(): void {
  if (budget !== undefined) setFlagsFromString(`${budget.flag}=${budget.usual}`);
}
