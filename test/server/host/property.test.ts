import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InjectOutcome, ResetOutcome } from '../../../src/server/host/host.js';
import { runs } from '../../long.js';
import { MUTATION, readManifest, valuesOf } from '../support.js';
import { type FakeActuator, type Stage, settle, stage } from './fakes.js';

const IDS = ['rain', 'wind'] as const;

const mutators = readManifest(
  IDS.map(
    (name) => `
[[mutator]]
name = "${name}"
max_active = "50ms"
actuator = { kind = "module", path = "x.js" }
[[mutator.param]]
name = "number"
type = "integer"
`,
  ).join(''),
);

type Step =
  | { readonly kind: 'inject' | 'reset'; readonly id: string }
  /** The call that runs ends so; one that hangs just never does. */
  | { readonly kind: 'end'; readonly id: string; readonly isGood: boolean }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'journal'; readonly refuses: boolean }
  | { readonly kind: 'crash' }
  | { readonly kind: 'shutdown' };

const id = fc.constantFrom(...IDS);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('inject' as const), id }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('reset' as const), id }) },
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constant('end' as const), id, isGood: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(60) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('journal' as const), refuses: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'shutdown' as const }) },
  ),
  { maxLength: 40 },
);

/** A host in the course of a story, and what its clients were told. */
interface Story {
  now: Stage;
  /** Requests in the order they were made, and their outcomes where they have one. */
  asked: { id: string; what: string; outcome?: InjectOutcome | ResetOutcome }[];
  number: bigint;
}

const actuatorOf = ({ now }: Story, id: string) => now.actuators.get(id) as FakeActuator;

test('whatever happens, what may be active is in the journal, and is reset in the end', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const story: Story = { now: stage(mutators), asked: [], number: 0n };
      for (const step of all) {
        await take(story, step);
        checkJournal(story);
      }
      await endWell(story);
    }),
    { numRuns: runs(2_000) },
  );
});

async function take(story: Story, step: Step): Promise<void> {
  const { now } = story;
  switch (step.kind) {
    case 'inject': {
      const number = story.number++;
      const mutation = { id: MUTATION, params: valuesOf({ number }) };
      note(story, step.id, `inject ${number}`, now.host.inject(step.id, mutation));
      break;
    }
    case 'reset':
      note(story, step.id, 'reset', now.host.reset(step.id));
      break;
    case 'end':
      actuatorOf(story, step.id).call?.end(step.isGood);
      break;
    case 'wait':
      await now.clock.advance(step.ms);
      break;
    case 'journal':
      now.journal.refuses = step.refuses;
      break;
    case 'crash':
      restart(story);
      await recover(story);
      break;
    case 'shutdown': {
      const ending = now.host.shutdown({ graceMs: 100, timeoutMs: 100 });
      await now.clock.advance(200);
      const { residual: left } = await ending;
      checkJournal(story);
      const names = left.map((one) => one.id);
      for (const id of IDS) {
        if (!names.includes(id)) expect(actuatorOf(story, id).system).toBeUndefined();
      }
      checkOrder(story);
      restart(story);
      await recover(story);
    }
  }
  await settle();
}

function note(
  story: Story,
  id: string,
  what: string,
  outcome: Promise<InjectOutcome | ResetOutcome>,
): void {
  const asked: Story['asked'][number] = { id, what };
  story.asked.push(asked);
  void outcome.then((known) => {
    asked.outcome = known;
  });
}

/** A new process finds the same journal and the same systems; calls of the old one are gone. */
function restart(story: Story): void {
  const { journal, actuators } = story.now;
  for (const actuator of actuators.values()) actuator.call = undefined;
  story.asked = [];
  for (const actuator of actuators.values()) actuator.calls.length = 0;
  story.now = stage(mutators, { journal, actuators });
}

async function recover({ now }: Story): Promise<void> {
  for (const actuator of now.actuators.values()) actuator.always = true;
  await now.host.recover({ forgetMissing: false });
  for (const [id, actuator] of now.actuators) {
    expect([id, actuator.system]).toEqual([id, undefined]);
    actuator.always = undefined;
    actuator.calls.length = 0;
  }
}

/** Record before acting: what an injection may have left is on record. */
function checkJournal({ now }: Story): void {
  for (const [id, { system }] of now.actuators) {
    if (system !== undefined) expect(now.journal.entries.has(id)).toBe(true);
  }
}

/** Requests were begun in the order in which they came, and each at most once. */
function checkOrder(story: Story): void {
  for (const id of IDS) {
    const begun = actuatorOf(story, id).calls.filter((call) => call.startsWith('inject'));
    const asked = story.asked.filter((one) => one.id === id).map(({ what }) => what);
    let at = -1;
    for (const call of begun) {
      const next = asked.indexOf(call);
      expect(next).toBeGreaterThan(at);
      at = next;
    }
    const injected = story.asked.filter(
      (one) => one.id === id && one.outcome?.kind === ('injected' as string),
    );
    for (const { what } of injected) expect(begun).toContain(what);
  }
}

/** When everything works again, a shutdown leaves nothing and forgets nobody's request. */
async function endWell(story: Story): Promise<void> {
  const { now } = story;
  now.journal.refuses = false;
  for (const actuator of now.actuators.values()) {
    actuator.always = true;
    actuator.call?.end(true);
  }
  const ending = now.host.shutdown({ graceMs: 100, timeoutMs: 100 });
  await now.clock.advance(200);
  expect((await ending).residual).toEqual([]);
  for (const actuator of now.actuators.values()) expect(actuator.system).toBeUndefined();
  checkOrder(story);
  expect(story.asked.filter(({ outcome }) => outcome === undefined)).toEqual([]);
  expect(now.clock.timers).toBe(0);
}
