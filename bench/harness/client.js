import { connect } from 'node:net';

/*
 * A client that does no more than it must, so that what is measured is the
 * server.
 */

/**
 * The text of a request.
 *
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {string} path
 * @param {string} [body]
 */
export function request(method, path, body = '') {
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${length}\r\n${body}`;
}

/**
 * Sends requests over one connection, each when the one before is answered.
 * Rejects unless every answer has a status of 200 to 299.
 *
 * @param {number} port
 * @param {readonly string[]} requests
 * @returns {Promise<void>}
 */
export function exchange(port, requests) {
  return new Promise((resolve, reject) => {
    let sent = 0;
    /** How much of the answer is still to come; unknown until it has begun. */
    let missing = 0;
    const socket = connect(port, '127.0.0.1').on('connect', send);
    socket.on('error', reject).on('data', (chunk) => {
      missing += missing === 0 ? lengthOf(chunk) : 0;
      missing -= chunk.length;
      if (Number.isNaN(missing)) {
        socket.destroy(new Error(`answered ${chunk.toString('latin1', 0, 500)}`));
      } else if (missing === 0) {
        if (sent < requests.length) send();
        else socket.end(resolve);
      }
    });

    function send() {
      socket.write(/** @type {string} */ (requests[sent]));
      sent += 1;
    }
  });
}

/** The length of a good answer, by its head; NaN for any other. @param {Buffer} chunk */
function lengthOf(chunk) {
  const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4);
  const length = /^HTTP\/1\.1 2.*\r\ncontent-length: (\d+)\r\n/is.exec(head)?.[1];
  return length === undefined ? Number.NaN : head.length + Number(length);
}
