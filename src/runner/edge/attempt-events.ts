import { writeFile } from 'node:fs/promises';
import { Tape } from '../record/tape.js';
import { followFile } from './growing-file.js';
import type { OpenSource } from './open-source.js';

/** What arrives during an attempt. */
export interface AttemptEvents {
  readonly tape: Tape;
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

/** Listens to all that an attempt's events come from. */
export async function openAttemptEvents(setup: EventSetup): Promise<AttemptEvents> {
  const { name, file, source, onEvents } = setup;
  const tape = new Tape(name);
  const receive = (origin: 'command' | 'source') => (lines: readonly string[]) => {
    tape.receive(origin, lines);
    onEvents();
  };
  // What an interrupted attempt has left there is not of this one.
  if (file !== undefined) await writeFile(file, '');
  const written = file && (await followFile(file, 'start', receive('command')));
  const listening = await source?.listen({
    lines: receive('source'),
    otlp(document) {
      tape.receiveOtlp(document);
      onEvents();
    },
  });
  return {
    tape,
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
