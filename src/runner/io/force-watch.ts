import { durationText } from '../../values/index.js';
import type { SpaceMutator } from '../plan/space.js';
import type { ResetAnswer } from './servers.js';

/** Notes whether the mutations of an attempt were in force until it was over. */
export class ForceWatch {
  /** Why some were not, or why that is not known. */
  readonly doubts: string[] = [];
  /** Whether a server was not there all the time. */
  outage = false;
  readonly #mutators: readonly (SpaceMutator | undefined)[];
  readonly #injected = new Map<
    number,
    { readonly asked: number; readonly instance: string | undefined }
  >();

  /** @param mutators that of each mutation, by its position */
  constructor(mutators: readonly (SpaceMutator | undefined)[]) {
    this.#mutators = mutators;
  }

  /** A mutation was acknowledged. @param asked when it was asked for, by the clock of this process */
  injected(at: number, asked: number, instance: string | undefined): void {
    this.#injected.set(at, { asked, instance });
  }

  /** Its mutator was reset. @param overAt when the mutation was no longer needed */
  reset(at: number, { instance, waited }: ResetAnswer, overAt: number): void {
    const { name = '', server = '', maxActiveMs, passes } = this.#mutators[at] ?? {};
    const injected = this.#injected.get(at);
    if (injected === undefined) return;
    if (maxActiveMs !== undefined && !passes && overAt - injected.asked >= maxActiveMs) {
      const lasted = Math.round(overAt - injected.asked);
      this.doubts.push(
        `${name}: its max_active of ${durationText(maxActiveMs)} expired before the attempt was over, after ${durationText(lasted)}`,
      );
    }
    const isSame = instance !== undefined && instance === injected.instance;
    if (isSame || (instance === injected.instance && !waited)) return;
    this.outage = true;
    this.doubts.push(
      instance === injected.instance
        ? `${name}: ${server} went away: whether its mutation stayed in force is not known`
        : `${name}: ${server} began anew, which ended its mutation`,
    );
  }
}
