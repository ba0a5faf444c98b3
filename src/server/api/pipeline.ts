import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request, and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether it came before the one before it was answered. */
  readonly early: boolean;
}

/** What a connection has sent that is not answered yet. */
interface Pipeline {
  /** The latest of all. */
  last: Exchange;
  open: number;
}

/** The requests of connections, each begun when the one before it is answered. */
export class Pipelines {
  readonly #all = new WeakMap<Socket, Pipeline>();
  readonly #listener: RequestListener;
  readonly #most: number;

  /** @param most after so many requests without an answer a connection is not read on */
  constructor(listener: RequestListener, most: number) {
    this.#listener = listener;
    this.#most = most;
  }

  /** Takes a request of a connection in its turn. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const before = this.#all.get(socket);
    const early = before !== undefined && isOpen(before.last);
    const last = { request, response, early };
    const pipeline = before ?? { last, open: 0 };
    if (before === undefined) {
      this.#all.set(socket, pipeline);
      holdBack(socket, () => pipeline.open >= this.#most);
    }
    const previous = pipeline.last.response;
    pipeline.last = last;
    pipeline.open += 1;
    if (pipeline.open >= this.#most) socket.pause();
    response.once('close', () => {
      pipeline.open -= 1;
      if (pipeline.open === this.#most - 1 && !socket.destroyed) socket.resume();
    });
    if (!early) {
      this.#listener(request, response);
      return;
    }
    // In their order: what a client sends in one go, it means one after the other.
    previous.once('close', () => {
      if (!socket.destroyed) this.#listener(request, response);
    });
  }

  /**
   * Whether a connection waits for us: all that it has sent in full is to be answered first, or so
   * much that it is not read on.
   */
  isWaiting(socket: Socket): boolean {
    const pipeline = this.#all.get(socket);
    if (pipeline === undefined) return false;
    const { last, open } = pipeline;
    return open >= this.#most || (isOpen(last) && last.request.complete);
  }

  /** The latest exchange of a connection. */
  last(socket: Socket): Exchange | undefined {
    return this.#all.get(socket)?.last;
  }
}

/** Whether a request still waits for its answer. */
export function isOpen(exchange: Exchange | undefined): exchange is Exchange {
  return exchange !== undefined && !exchange.response.writableFinished;
}

/** Keeps a connection from being read while a condition holds: Node resumes it after each answer. */
function holdBack(socket: Socket, isHeld: () => boolean): void {
  const resume = socket.resume.bind(socket);
  socket.resume = () => (isHeld() ? socket : resume());
}
