import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { perturb } from '../harness/program.js';
import { few, until } from '../harness/server.js';
import { countingServer } from '../harness/systems.js';
import { openRuns, SEEN } from './runs.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** Makes an error that nobody handles as soon as something is mutated. */
const BUG = `const { readdirSync, readFileSync } = require('node:fs');
const wait = setInterval(() => {
  if (!readdirSync('file').some((name) => readFileSync('file/' + name, 'utf8') !== '{"speed": 0}')) return;
  clearInterval(wait);
  if (process.env.BUG === 'rejection') Promise.reject(new Error('unforeseen'));
  else throw new Error('unforeseen');
}, 1).unref();
`;

/** @type {Scenario} */
export const runBug = {
  name: 'run-bug',
  promise: 'an error within a run that nobody handles is reported once all is reset',
  async run(place) {
    const runs = await openRuns(place);
    writeFileSync(runs.at('bug.cjs'), BUG);
    /** @type {string[]} */
    const broken = [];
    for (const kind of ['rejection', 'exception']) {
      const env = ['env', `BUG=${kind}`, 'NODE_OPTIONS=--require ./bug.cjs'];
      const { ended } = runs.start(runs.args(kind, `${SEEN}; exec sleep 600`), env);
      const [code] = await ended;
      if (code !== 3) broken.push(`after an unhandled ${kind} the run ends with ${code}`);
      if (!runs.last(kind).includes('"step":"end"')) broken.push(`${kind}: ${runs.last(kind)}`);
      if (runs.system.active() > 0) broken.push(`${kind}: ${runs.system.active()} are active`);
    }
    return { figures: 'a rejection and an exception', broken };
  },
};

/** Sends spans as a web page or somebody who names another host would, and then one as an SDK does. */
const SENDER = `const { connect } = require('node:net');
const { host, port } = new URL(process.env.OTEL_EXPORTER_OTLP_ENDPOINT);
const service = { attributes: [{ key: 'service.name', value: { stringValue: 'SYSTEM' } }] };
const send = (name, ...head) => new Promise((done) => {
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name, startTimeUnixNano: '1', endTimeUnixNano: '2' };
  const body = JSON.stringify({ resourceSpans: [{ resource: service, scopeSpans: [{ spans: [span] }] }] });
  const lines = [...head, 'content-type: application/json', 'content-length: ' + body.length, 'connection: close'];
  connect(port, '127.0.0.1').on('close', done).resume()
    .write('POST /v1/traces HTTP/1.1\\r\\n' + lines.join('\\r\\n') + '\\r\\n\\r\\n' + body);
});
const own = 'host: ' + host;
const forged = [[own, 'origin: http://page.example'], [own, 'origin: null'], ['host: rebound.example']];
(async () => {
  for (const head of forged) await send('forged', ...head);
  await send('seen', own);
})();
`;

/** @type {Scenario} */
export const runReceiver = {
  name: 'run-receiver',
  promise:
    'the OTLP receiver of a run takes nothing from a web page, nor by the name of another host',
  async run(place) {
    const runs = await openRuns(place);
    writeFileSync(runs.at('send.cjs'), SENDER);
    const script = `exec '${process.execPath}' send.cjs`;
    const flags = ['--events', 'otlp:0'];
    const { code, stderr } = await perturb(place.directory, runs.args('out', script, flags));
    /** @type {string[]} */
    const broken = [];
    if (code !== 0) broken.push(`what is sent properly does not arrive: ${code}: ${stderr}`);
    const session = readFileSync(runs.at('out/attempts/1.jsonl'), 'utf8');
    if (session.includes('forged')) broken.push('what was forged is recorded');
    return { figures: '3 forged requests', broken };
  },
};

/** @type {Scenario} */
export const plantedCode = {
  name: 'planted-code',
  promise: 'compiled code that was put beside the program, or damaged, is not run',
  async run({ directory }) {
    const at = (/** @type {string} */ name) => join(directory, name);
    cpSync(resolve('dist'), at('dist'), { recursive: true });
    symlinkSync(resolve('node_modules'), at('node_modules'));
    const cache = readFileSync(at('dist/program.cjs.cache'));
    // V8 itself compares the length of the source alone.
    const { length } = module.wrap(readFileSync(at('dist/program.cjs'), 'latin1'));
    const text = '(() => { console.log("planted"); return () => 0; })()';
    const flipped = Buffer.from(cache);
    const middle = Math.floor(cache.length / 2);
    flipped.writeUInt8(cache.readUInt8(middle) ^ 0xff, middle);
    const plants = {
      'of another program': new vm.Script(text.padEnd(length)).createCachedData(),
      'with a flipped byte': flipped,
      'cut short': cache.subarray(0, middle),
    };
    /** @type {string[]} */
    const broken = [];
    for (const [what, code] of Object.entries(plants)) {
      writeFileSync(at('dist/program.cjs.cache'), code);
      const child = spawn(process.execPath, [at('dist/bin.cjs'), '--version'], {
        env: { HOME: directory },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ more) => {
        said += more;
      });
      const ended = await new Promise((done) => child.on('close', done));
      if (ended !== 0 || !/^\d+\.\d+\.\d+/.test(said)) broken.push(`${what}: ${ended}, ${said}`);
    }
    return { figures: `compiled code ${Object.keys(plants).join(', ')}`, broken };
  },
};

/** @type {Scenario} */
export const untrustedEditor = {
  name: 'untrusted-editor',
  promise:
    'in a folder that an editor does not call trusted, opening a file asks nobody, and linting goes on',
  async run(place) {
    const seen = await countingServer(place);
    /** @type {string[]} */
    const broken = [];
    for (const trusted of [undefined, false, true]) {
      const folder = join(place.directory, `${trusted}`);
      mkdirSync(folder);
      const config = `[lint]\nmutators = ["bench"]\n[servers.bench]\nurl = "${seen.url}"\napi_key_env = "PERTURB_BENCH_KEY"\n`;
      writeFileSync(join(folder, 'perturb.toml'), config);
      const before = seen.connections;
      const said = await opened(folder, trusted, place.defer);
      if (!said.includes('objective/unknown-key')) broken.push(`${trusted}: not linted: ${said}`);
      const asked = seen.connections > before;
      if (asked !== (trusted === true))
        broken.push(`${trusted}: it was ${asked ? '' : 'not '}asked`);
    }
    return { figures: 'trust denied, not mentioned, and given', broken: few(broken) };
  },
};

/**
 * What the language server says of a file that is opened.
 *
 * @param {string} folder
 * @param {boolean | undefined} trusted
 * @param {import('../harness/scenario.js').Place['defer']} defer
 */
async function opened(folder, trusted, defer) {
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), 'lsp', '--stdio'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PERTURB_BENCH_KEY: 'meant' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  defer(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ more) => {
    said += more;
  });
  const send = (/** @type {object} */ message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const rootUri = pathToFileURL(folder).href;
  const initializationOptions = trusted === undefined ? {} : { trusted };
  const params = { processId: null, rootUri, capabilities: {}, initializationOptions };
  send({ id: 1, method: 'initialize', params });
  await until(() => said.includes('"id":1'));
  send({ method: 'initialized', params: {} });
  const textDocument = {
    ...{ uri: `${rootUri}/a.objective.toml`, languageId: 'toml', version: 1 },
    text: 'name = "a"\nunheard = 1\n[mutation_constraints]\nmutator_tags = ["x"]\n',
  };
  send({ method: 'textDocument/didOpen', params: { textDocument } });
  await until(() => said.includes('unknown-key'));
  // Mutators that it has asked for change what it says, so that it says it again.
  if (trusted) await until(() => said.includes('catalog/'));
  child.kill('SIGKILL');
  return said;
}
