import { writeFile } from 'node:fs/promises';
import { codeOf } from '../../durable/index.js';
import { LateEffectWindow } from '../record/late-effect-window.js';
import { RunError } from '../run-error.js';
import { followFile } from './growing-file.js';
import type { OpenSource } from './open-source.js';

/** What arrives during an attempt. */
export interface AttemptEvents {
  readonly window: LateEffectWindow;
  /** Takes what has arrived by now, a last line without an end too. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Where the events of an attempt come from. */
export interface EventSetup {
  /** What the session is called. */
  readonly name: string;
  /** The file that the command writes to; absent without a command. */
  readonly file?: string;
  readonly source?: OpenSource;
  /** Called whenever something has arrived. */
  readonly onEvents: () => void;
}

/** Listens to all that an attempt's events come from. Rejects with a RunError where it cannot. */
export async function openAttemptEvents(setup: EventSetup): Promise<AttemptEvents> {
  const { name, file, source, onEvents } = setup;
  const window = new LateEffectWindow(name);
  const receive = (origin: 'command' | 'source') => (lines: readonly string[]) => {
    window.receive(origin, lines);
    onEvents();
  };
  if (file !== undefined) await clear(file);
  const written = file && (await followFile(file, 'start', receive('command')));
  const listening = await source?.listen({
    lines: receive('source'),
    otlp(document) {
      window.receiveOtlp(document);
      onEvents();
    },
  });
  return {
    window,
    async drain() {
      if (written) await written.drain(true);
      await listening?.drain();
    },
    async stop() {
      if (written) await written.stop();
      await listening?.stop();
    },
  };
}

/** What an interrupted attempt has left in a file is not of the next one. */
async function clear(file: string): Promise<void> {
  try {
    await writeFile(file, '');
  } catch (error) {
    throw new RunError('not-written', file, codeOf(error));
  }
}
