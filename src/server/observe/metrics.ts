import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Operation } from '../api/api.js';
import type { HostEvent } from '../host/host.js';
import type { MutatorStatus } from '../host/host-lifecycle.js';

/** What metrics ask a host when they are read. */
export interface Observed {
  /** What each mutator does now. */
  status(): readonly Omit<MutatorStatus, 'id'>[];
  /** The journal's size in bytes. */
  journalSize(): number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const STATES = [
  'idle',
  'active',
  'maybe-active',
  'recording',
  'injecting',
  'resetting',
  'clearing',
];

/** From a millisecond to the longest that people wait for a command. */
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Makes the metrics of one server. */
export function createMetrics(observed: Observed) {
  const registry = new Registry();
  const registers = [registry];
  const injections = new Counter({
    name: 'perturb_injections_total',
    help: 'Injections requested, by mutator and outcome',
    labelNames: ['mutator', 'outcome'] as const,
    registers,
  });
  const resets = new Counter({
    name: 'perturb_resets_total',
    help: 'Resets attempted or requested, by mutator, cause and outcome',
    labelNames: ['mutator', 'cause', 'outcome'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'perturb_actuator_seconds',
    help: 'How long actuators took, by operation',
    labelNames: ['operation'] as const,
    buckets: SECONDS,
    registers,
  });
  const recordFailures = new Counter({
    name: 'perturb_journal_failures_total',
    help: 'Times that the journal could not be written',
    registers,
  });
  const requests = new Counter({
    name: 'perturb_requests_total',
    help: 'Requests answered, by operation and status',
    labelNames: ['operation', 'status'] as const,
    registers,
  });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  new Gauge({
    name: 'perturb_mutators',
    help: 'Mutators, by their current state',
    labelNames: ['state'] as const,
    registers,
    collect() {
      const states = observed.status().map(({ state }) => state);
      for (const state of STATES) {
        this.set({ state }, states.filter((one) => one === state).length);
      }
    },
  });
  gauge(
    'perturb_active_mutators',
    'Mutators that are or may be active',
    () => observed.status().filter(({ state }) => state !== 'idle').length,
  );
  gauge(
    'perturb_failing_resets',
    'Mutators whose reset has failed and is being retried',
    () => observed.status().filter(({ failures }) => failures > 0).length,
  );
  gauge('perturb_waiting_operations', 'Operations waiting for their turn', () =>
    observed.status().reduce((sum, { waiting }) => sum + waiting, 0),
  );
  gauge('perturb_journal_bytes', 'The size of the journal in bytes', () => observed.journalSize());

  return {
    /** What `read` gives. */
    contentType: registry.contentType,
    /** The metrics in the text format of Prometheus. */
    read: () => registry.metrics(),
    /** Counts an answer of the API. */
    onAnswer(operation: Operation | undefined, status: number): void {
      requests.inc({ operation: operation ?? 'none', status: String(status) });
    },
    /** Counts what happened to a mutator. */
    onEvent(event: HostEvent): void {
      const mutator = event.id;
      switch (event.kind) {
        case 'injected':
        case 'inject-failed':
          durations.observe({ operation: 'inject' }, event.ms / 1000);
          injections.inc({ mutator, outcome: event.kind === 'injected' ? 'injected' : 'failed' });
          break;
        case 'refused':
          injections.inc({ mutator, outcome: 'refused' });
          break;
        case 'busy':
          if (event.operation === 'inject') injections.inc({ mutator, outcome: 'busy' });
          else resets.inc({ mutator, cause: 'request', outcome: 'busy' });
          break;
        case 'reset':
        case 'reset-failed':
          durations.observe({ operation: 'reset' }, event.ms / 1000);
          resets.inc({
            mutator,
            cause: event.cause,
            outcome: event.kind === 'reset' ? 'reset' : 'failed',
          });
          break;
        case 'record-failed':
          recordFailures.inc();
          break;
        case 'forgotten':
          break;
      }
    },
  };
}
