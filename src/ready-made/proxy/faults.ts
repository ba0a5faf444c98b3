import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export const TCP_FAULTS = ['latency', 'bandwidth', 'reset', 'half-open', 'cut'] as const;
export const HTTP_FAULTS = ['http-delay', 'http-status', 'http-abort'] as const;

export const isHttpFault = (name: string): boolean => HTTP_FAULTS.some((fault) => fault === name);

export type FaultName = (typeof TCP_FAULTS)[number] | (typeof HTTP_FAULTS)[number];

/** A fault's parameters. */
export interface Fault {
  readonly delay?: number;
  readonly jitter?: number;
  readonly direction?: 'from' | 'to' | 'both';
  readonly rate?: number;
  readonly after?: number;
  readonly status?: number;
  /** Percentage of affected connections or requests. */
  readonly share?: number;
  /** The remaining number of requests to affect. */
  requests?: number;
}

/** Returns a fault by its name if the fault affects a given connection or request. */
export type FaultLookup = (name: FaultName) => Fault | undefined;

/** The proxy's active faults. */
export class Faults {
  readonly #faults = new Map<FaultName, Fault>();
  readonly #timers = new Map<FaultName, NodeJS.Timeout>();
  readonly #changes = new EventEmitter().setMaxListeners(0);

  names(): readonly FaultName[] {
    return [...this.#faults.keys()];
  }

  get(name: FaultName): Fault | undefined {
    return this.#faults.get(name);
  }

  has(name: FaultName): boolean {
    return this.#faults.has(name);
  }

  /**
   * Injects a fault, which replaces an earlier fault of the same name. The fault ends after a number of seconds, unless
   * it is reset before then.
   */
  inject(name: FaultName, fault: Fault, seconds: number): void {
    this.#remove(name);
    this.#faults.set(name, fault);
    const timer = setTimeout(() => this.reset(name), seconds * 1000);
    this.#timers.set(name, timer);
    this.#changes.emit('change');
  }

  reset(name: FaultName): void {
    this.#remove(name);
    this.#changes.emit('change');
  }

  #remove(name: FaultName): void {
    clearTimeout(this.#timers.get(name));
    this.#faults.delete(name);
  }

  /** Calls a listener after each change. Returns a function that removes the listener. */
  watch(listener: () => void): () => void {
    this.#changes.on('change', listener);
    return () => void this.#changes.off('change', listener);
  }

  async waitForChange(): Promise<void> {
    await once(this.#changes, 'change');
  }

  /** Waits until a time, or until the fault is reset. A reset ends all waits for the fault. */
  async waitWith(name: FaultName, dueAt: number): Promise<void> {
    while (this.has(name) && performance.now() < dueAt) {
      const end = new AbortController();
      const { signal } = end;
      await Promise.race([
        delay(Math.max(0, dueAt - performance.now()), undefined, { signal }),
        once(this.#changes, 'change', { signal }),
      ]).catch(() => {});
      end.abort();
    }
  }

  /** Returns a connection's fault lookup. Decides at random, once per fault, if the fault affects the connection. */
  drawForConnection(): FaultLookup {
    const decisions = new WeakMap<Fault, boolean>();
    return (name) => {
      const fault = this.#faults.get(name);
      if (fault === undefined) return undefined;
      if (!decisions.has(fault)) decisions.set(fault, isDrawn(fault));
      return decisions.get(fault) ? fault : undefined;
    };
  }

  /** Returns a fault by its name if it affects the next request, and counts the request. */
  takeForRequest(name: FaultName): Fault | undefined {
    const fault = this.#faults.get(name);
    if (fault === undefined) return undefined;
    const { requests = Number.POSITIVE_INFINITY } = fault;
    if (requests <= 0 || !isDrawn(fault)) return undefined;
    fault.requests = requests - 1;
    return fault;
  }
}

/** Decides at random, with the probability given by `share`, whether a fault affects a connection or request. */
const isDrawn = ({ share = 100 }: Fault) => Math.random() * 100 < share;
