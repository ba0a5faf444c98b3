/** An output that never blocks. */
export interface TextOutput {
  /** Writes a text; false where it was dropped because too much waits to be read. */
  write(text: string): boolean;
}

/** The part of a stream that an output needs. */
export type OutputStream = Pick<NodeJS.WriteStream, 'write' | 'writableLength'>;

/** More than this does not wait: whoever reads has stopped. */
const MOST_WAITING = 256 * 1024;

/**
 * Writes to a stream without ever waiting for whoever reads it. Node's own
 * streams to terminals wait in the midst of the program while the terminal is
 * paused, which would keep everything from being reset.
 */
export function createTextOutput(stream: OutputStream): TextOutput {
  // Node has no public way to ask for it; where this one is missing, writes may block.
  const { _handle } = stream as { _handle?: { setBlocking?: (blocking: boolean) => void } };
  _handle?.setBlocking?.(false);
  return {
    write(text) {
      if (stream.writableLength > MOST_WAITING) return false;
      stream.write(text);
      return true;
    },
  };
}
