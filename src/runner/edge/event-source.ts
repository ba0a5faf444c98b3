import { followFile } from './growing-file.js';
import { openOtlpReceiver } from './otlp-receiver.js';

/** Where events come from, beside what the command writes. */
export type EventSource =
  /** A file that grows, as lines of a session. */
  | { readonly kind: 'file'; readonly path: string }
  /** OTLP over HTTP at a port of the loopback. */
  | { readonly kind: 'otlp'; readonly port: number };

/** A source that can be listened to, attempt by attempt. */
export interface OpenSource {
  /** What a command has to know to send its events there. */
  readonly env: Readonly<Record<string, string>>;
  /** Listens from now on. */
  listen(receive: Receive): Promise<Listening>;
  close(): Promise<void>;
}

/** Takes lines of a session, or whole documents of OTLP. */
export interface Receive {
  readonly lines: (lines: readonly string[]) => void;
  readonly otlp: (document: string) => void;
}

export interface Listening {
  /** Takes what has arrived by now. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens a source. Rejects with a RunError where a port can't be listened to. */
export async function openSource(source: EventSource): Promise<OpenSource> {
  if (source.kind === 'otlp') return openOtlpReceiver(source.port);
  return {
    env: {},
    async listen({ lines }) {
      const file = await followFile(source.path, 'end', lines);
      return { drain: () => file.drain(false), stop: () => file.stop() };
    },
    close: async () => {},
  };
}
