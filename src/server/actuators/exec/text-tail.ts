/** Keeps the end of a stream of text. */
export class TextTail {
  readonly #most: number;
  #bytes = Buffer.alloc(0);

  /** @param most how many bytes to keep */
  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Uint8Array): void {
    const all = Buffer.concat([this.#bytes, chunk.subarray(-this.#most)]);
    this.#bytes = all.subarray(-this.#most);
  }

  /** The end, without white space around it; a character that was cut in two shows as U+FFFD. */
  get text(): string {
    return this.#bytes.toString('utf8').trim();
  }
}
