import type { Json } from '../../values/index.js';

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
  readonly otlp: (document: Json) => void;
}

export interface Listening {
  /** Takes what has arrived by now. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}
