import { followFile } from './growing-file.js';

/** Where events come from, beside what the command writes. */
export type EventSource =
  /** A file that grows, as lines of a session. */
  { readonly kind: 'file'; readonly path: string };

/** A source that is listened to. */
export interface Listening {
  /** What a command has to know to send its events here. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes what has arrived by now. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Listens to a source from now on. */
export async function listenTo(
  source: EventSource,
  receive: (lines: readonly string[]) => void,
): Promise<Listening> {
  const file = await followFile(source.path, 'end', receive);
  return { env: {}, drain: () => file.drain(false), stop: () => file.stop() };
}
