import { parse } from '@foxglove/rosmsg';
import { MessageWriter } from '@foxglove/rosmsg2-serialization';
import { McapWriter, type McapWriterOptions } from '@mcap/core';

interface Topic {
  readonly topic: string;
  readonly type: string;
  /** A definition of ROS 2. */
  readonly definition: string;
  /** What the file has in its place. */
  readonly written?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly encoding?: string;
  /** In place of a definition of ROS 2. */
  readonly schema?: { readonly encoding: string; readonly data: Uint8Array };
}

export interface RecordedMessage extends Topic {
  readonly time: bigint;
  readonly fields: object;
  readonly published?: bigint;
  /** The bytes of the message, where it is none of ROS 2 and JSON. */
  readonly data?: Uint8Array;
}

/** A recording of messages, in their order. */
export async function writeMcap(
  messages: readonly RecordedMessage[],
  options: Partial<McapWriterOptions> = {},
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0n;
  const write = async (bytes: Uint8Array) => {
    parts.push(bytes.slice());
    size += BigInt(bytes.length);
  };
  const writer = new McapWriter({ writable: { write, position: () => size }, ...options });
  await writer.start({ profile: 'ros2', library: '' });
  const channels = new Map<string, number>();
  for (const [sequence, message] of messages.entries()) {
    const { topic, type, definition, metadata = {}, encoding = 'cdr', fields, time } = message;
    let channelId = channels.get(topic);
    if (channelId === undefined) {
      const data = new TextEncoder().encode(message.written ?? definition);
      const schema = message.schema ?? { encoding: 'ros2msg', data };
      const schemaId = await writer.registerSchema({ name: type, ...schema });
      const entries = new Map(Object.entries(metadata));
      const channel = { topic, schemaId, messageEncoding: encoding, metadata: entries };
      channelId = await writer.registerChannel(channel);
      channels.set(topic, channelId);
    }
    const data =
      message.data ??
      (encoding === 'cdr'
        ? new MessageWriter(parse(definition, { ros2: true })).writeMessage(fields)
        : new TextEncoder().encode(JSON.stringify(fields)));
    const publishTime = message.published ?? time;
    await writer.addMessage({ channelId, sequence, logTime: time, publishTime, data });
  }
  await writer.end();
  return new Uint8Array(Buffer.concat(parts));
}
