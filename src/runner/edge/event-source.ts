import { followFile } from './growing-file.js';
import type { OpenSource } from './open-source.js';
import { openOtlpReceiver } from './otlp-receiver.js';

/** Where events come from, beside what the command writes. */
export type EventSource =
  /** A file that grows, as lines of a session. */
  | { readonly kind: 'file'; readonly path: string }
  /** OTLP over HTTP at a port of the loopback. */
  | { readonly kind: 'otlp'; readonly port: number };

/** Opens a source. Rejects with a RunError where a port cannot be listened to. */
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
