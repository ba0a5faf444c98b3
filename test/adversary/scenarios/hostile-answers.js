import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { isPlainFailure, perturb } from '../harness/program.js';
import { secondsSince } from '../harness/server.js';
import { listen } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @type {Scenario} */
export const hostileAnswers = {
  name: 'hostile-answers',
  promise: 'whatever a mutator server answers, the client is bounded and shows none of it raw',
  async run(place, size) {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, ' '), { level: 1 });
    const crowd = gzipSync(`[${'{},'.repeat(5_000_000)}{}]`, { level: 1 });
    const mutator = (/** @type {string} */ id) =>
      JSON.stringify({ mutator_correlation_id: id, attributes: { 'mutator.name': id } });
    const count = size === 'full' ? 130_000 : 20_000;
    const many = `[${Array.from({ length: count }, (_, n) => mutator(`m${n}`)).join(',')}]`;
    const server = createServer((request, response) => {
      const packed = (/** @type {Buffer} */ body) =>
        response.setHeader('content-encoding', 'gzip').end(body);
      if (request.url?.startsWith('/bomb')) packed(bomb);
      else if (request.url?.startsWith('/crowd')) packed(crowd);
      else if (request.url?.startsWith('/many')) response.end(many);
      else if (request.url?.startsWith('/acting')) {
        response.end(`[${mutator('a\u001b[2J\u0085\u202e\u2028')}]`);
      } else {
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      }
    });
    const port = await listen(server, place);
    const list = (/** @type {string} */ path, /** @type {string[]} */ ...more) => {
      const url = `http://127.0.0.1:${port}/${path}`;
      return perturb(place.directory, ['mutators', 'list', '--server', url, ...more]);
    };
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    for (const path of ['bomb', 'crowd', 'trickle']) {
      const outcome = await list(path, ...(path === 'trickle' ? ['--timeout', '500ms'] : []));
      if (!isPlainFailure(outcome)) broken.push(`${path}: ${outcome.code}, ${outcome.stderr}`);
    }
    const all = await list('many');
    if (all.stdout.split('\n').length !== count + 2) broken.push(`many: ${all.stderr}`);
    for (const format of ['pretty', 'json']) {
      const { stdout } = await list('acting', '--format', format);
      if (/[\p{Cc}\p{Bidi_Control}\u2028]/u.test(stdout.replaceAll('\n', ''))) {
        broken.push(`acting characters as ${format}`);
      }
    }
    const figures = `256 MiB packed, 5,000,001 elements, a trickle, ${count} mutators, in ${secondsSince(since)}`;
    return { figures, broken };
  },
};
