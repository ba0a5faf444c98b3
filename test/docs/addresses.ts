import { unusedPort } from './unused-port.js';

const LOOPBACK = /127\.0\.0\.1:(\d+)/g;
const HOST = /\b([a-z]+\.example)(:\d+)?(?=[/\s"']|$)/g;

/** The addresses that a document shows, and those of a run: each port is another one there. */
export class Addresses {
  /** The ports of the loopback that are shown, and those that are used. */
  readonly #ports = new Map<string, string>();
  /** Where the hosts that are shown listen: their ports on the loopback. */
  readonly #hosts = new Map<string, number>();
  /** The hosts with the ports that are used, as they are shown. */
  readonly #shownHosts = new Map<string, string>();

  /** Says where a host such as `bench.example` listens. */
  place(host: string, port: number): void {
    this.#hosts.set(host, port);
  }

  /** Shows a port that a command has chosen as another one. */
  show(used: string, shown: string): void {
    if (![...this.#ports.values()].includes(used)) this.#ports.set(shown, used);
  }

  async portFor(shown: string): Promise<string> {
    const port = this.#ports.get(shown) ?? String(await unusedPort());
    this.#ports.set(shown, port);
    return port;
  }

  /** A command or a file with the addresses of this run. */
  async toUsed(text: string): Promise<string> {
    for (const [, shown = ''] of text.matchAll(LOOPBACK)) await this.portFor(shown);
    return text
      .replace(LOOPBACK, (_whole, shown) => `127.0.0.1:${this.#ports.get(shown)}`)
      .replace(HOST, (whole, host) => {
        const port = this.#hosts.get(host);
        if (port === undefined) return whole;
        this.#shownHosts.set(`${host}:${port}`, whole);
        return `${host}:${port}`;
      });
  }

  /** What was printed, with the addresses of the document. */
  toShown(text: string): string {
    const shown = new Map([...this.#ports].map(([port, used]) => [used, port]));
    return text
      .replace(LOOPBACK, (_whole, used) => `127.0.0.1:${shown.get(used) ?? used}`)
      .replace(/\bport (\d+)/g, (_whole, used) => `port ${shown.get(used) ?? used}`)
      .replace(HOST, (whole) => this.#shownHosts.get(whole) ?? whole);
  }
}
