/*
 * A client that shares no code with Perturb: `client.js http|tcp PORT EVERY_MS SECONDS`. It asks at its rate, by
 * bytes of HTTP/1.1 over kept connections or by connecting, and prints the median latency in milliseconds.
 */
import { connect } from 'node:net';

const [, , kind, port, every, seconds] = process.argv;
/** @type {import('node:net').Socket[]} */
const free = [];
/** @type {number[]} */
const latencies = [];

/** @param {() => void} done */
function askHttp(done) {
  const socket = free.pop() ?? connect(Number(port), '127.0.0.1').setNoDelay();
  socket.write('GET / HTTP/1.1\r\nHost: client\r\n\r\n');
  let text = '';
  socket.on('data', function read(bytes) {
    text += bytes.toString('latin1');
    const [head = '', body] = text.split('\r\n\r\n');
    if (body?.length !== Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
    socket.off('data', read);
    free.push(socket);
    done();
  });
}

/** @param {() => void} done */
function askTcp(done) {
  const socket = connect(Number(port), '127.0.0.1', () => {
    done();
    socket.destroy();
  });
}

const ask = kind === 'http' ? askHttp : askTcp;
const count = (Number(seconds) * 1_000) / Number(every);
const begun = performance.now();
for (let question = 0; question < count; question += 1) {
  const wait = begun + question * Number(every) - performance.now();
  if (wait > 0) await new Promise((done) => setTimeout(done, wait));
  const sent = performance.now();
  ask(() => {
    latencies.push(performance.now() - sent);
    if (latencies.length < count) return;
    latencies.sort((a, b) => a - b);
    process.stdout.write(`${latencies[latencies.length >> 1]}\n`, () => process.exit());
  });
}
