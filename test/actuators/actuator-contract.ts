import { describe, expect, test } from 'vitest';
import { createActuator } from '../../src/actuators/acting/index.js';
import type { ManifestMutator } from '../../src/mutators/index.js';
import {
  contextIn,
  failureOf,
  mutationOf,
  temporaryDirectory,
  valuesOf,
} from '../server/support.js';

/** A system with one knob, and a mutator that turns it. */
export interface Rig {
  /**
   * Its parameter `value` is a string. After an injection the system holds what
   * `holds` makes of the value.
   */
  readonly mutator: ManifestMutator;
  /** What the system holds, byte for byte. */
  readonly state: () => string;
  readonly holds: (value: string) => string;
  /** From now on the system refuses, hangs or does as it is told. A file cannot hang. */
  readonly be: (mood: 'willing' | 'refusing' | 'hanging') => void;
  /** Resolves when the system has been asked for something while it hangs. */
  readonly asked?: () => Promise<void>;
  /** What the message of a failure says. */
  readonly complaint: RegExp;
}

const ODD = 'a "b" \'c\'\n$(touch owned) {value} \\ ü 🚀 %41 & <';

/** What every kind of actuator must do. */
export function holdToContract(
  kind: string,
  rigIn: (directory: string, timeout: string) => Promise<Rig>,
): void {
  const set = async (timeout = '30s') => {
    const directory = temporaryDirectory();
    const rig = await rigIn(directory, timeout);
    const make = () => createActuator(rig.mutator, contextIn(directory));
    return { rig, make, actuator: await make(), before: rig.state() };
  };
  const value = (text: string) => valuesOf({ value: text });

  describe(`an actuator of kind ${kind}`, () => {
    test('injects, and its reset leaves the system byte for byte as it was', async () => {
      const { rig, actuator, before } = await set();
      await actuator.inject(mutationOf(value('gust')));
      expect(rig.state()).toBe(rig.holds('gust'));
      expect(rig.state()).not.toBe(before);
      await actuator.reset();
      expect(rig.state()).toBe(before);
      await actuator.close();
    });

    test('hands a value on as it is, whatever stands in it', async () => {
      const { rig, actuator } = await set();
      await actuator.inject(mutationOf(value(ODD)));
      expect(rig.state()).toBe(rig.holds(ODD));
      await actuator.close();
    });

    test('undoes several injections with one reset', async () => {
      const { rig, actuator, before } = await set();
      for (const text of ['a', 'b', 'b', 'c']) await actuator.inject(mutationOf(value(text)));
      expect(rig.state()).toBe(rig.holds('c'));
      await actuator.reset();
      expect(rig.state()).toBe(before);
      await actuator.close();
    });

    test('does no harm with a reset where there was no injection', async () => {
      const { rig, actuator, before } = await set();
      await actuator.reset();
      await actuator.reset();
      expect(rig.state()).toBe(before);
      await actuator.close();
    });

    test('resets what another process has injected', async () => {
      const { rig, make, actuator, before } = await set();
      await actuator.inject(mutationOf(value('gust')));
      await actuator.close();
      const next = await make();
      await next.reset();
      expect(rig.state()).toBe(before);
      await next.close();
    });

    test('says why it failed, and can reset when the cause is mended', async () => {
      const { rig, actuator, before } = await set();
      await actuator.inject(mutationOf(value('first')));
      rig.be('refusing');
      const [, injecting] = await failureOf(actuator.inject(mutationOf(value('second'))));
      expect(injecting).toMatch(rig.complaint);
      const [, resetting] = await failureOf(actuator.reset());
      expect(resetting).toMatch(rig.complaint);
      rig.be('willing');
      await actuator.reset();
      expect(rig.state()).toBe(before);
      await actuator.close();
    });

    test('does nothing when it is told to stop before it begins', async () => {
      const { rig, actuator, before } = await set();
      const [code] = await failureOf(actuator.inject(mutationOf(value('a')), AbortSignal.abort()));
      expect(code).toBe('aborted');
      expect((await failureOf(actuator.reset(AbortSignal.abort())))[0]).toBe('aborted');
      expect(rig.state()).toBe(before);
      await actuator.close();
    });

    if (kind === 'file') return;

    test('gives up a call that takes too long, and works on', async () => {
      const { rig, actuator, before } = await set('2s');
      rig.be('hanging');
      const [code, message] = await failureOf(actuator.inject(mutationOf(value('a'))));
      expect([code, message]).toEqual(['timed-out', expect.stringMatching(/ 2000 ms/)]);
      expect((await failureOf(actuator.reset()))[0]).toBe('timed-out');
      rig.be('willing');
      await actuator.reset();
      expect(rig.state()).toBe(before);
      await actuator.inject(mutationOf(value('b')));
      expect(rig.state()).toBe(rig.holds('b'));
      await actuator.close();
    });

    test('stops in the middle of a call when it is told to', async () => {
      const { rig, actuator, before } = await set();
      rig.be('hanging');
      const stop = new AbortController();
      const injecting = failureOf(actuator.inject(mutationOf(value('a')), stop.signal));
      await rig.asked?.();
      stop.abort();
      expect((await injecting)[0]).toBe('aborted');
      rig.be('willing');
      await actuator.reset();
      expect(rig.state()).toBe(before);
      await actuator.close();
    });
  });
}
