import { setFlagsFromString } from 'node:v8';

/*
 * V8 11.3, that of Node 20, optimises each function so early that over some
 * hundred files it takes longer than what it saves. Later versions have a
 * quicker optimiser, and another flag. It counts units of bytecode that a
 * function has run.
 */
const FLAG = '--interrupt-budget';
const LATE = 800_000;
/** What V8 11.3 itself sets. */
const USUAL = 67_584;

/** Has V8 optimise, in every thread, only what runs for long. */
export function optimiseLate(): void {
  setBudget(LATE);
}

/**
 * Takes `optimiseLate` back. With a flag of V8 changed, a starting thread can't
 * use the compiled code of Node's own modules, and takes twice as long.
 */
export function optimiseAsUsual(): void {
  setBudget(USUAL);
}

function setBudget(units: number): void {
  if (process.versions.v8.startsWith('11.3.')) setFlagsFromString(`${FLAG}=${units}`);
}
