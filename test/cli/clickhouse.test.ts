import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  hasClickHouse,
  startClickHouse,
  type TestServer,
} from '../evaluation/clickhouse/server.js';
import { directoryWith, perturb } from './program.js';

const SESSION = `{"session":1,"name":"flight 7"}
{"probe":"GAZEBO","name":"GUST","seq":0,"time":100,"attributes":{"force":14.5}}
{"probe":"GAZEBO","name":"GUST","seq":1,"time":200,"attributes":{"force":9}}
{"probe":"AUTOPILOT","name":"BEAT","seq":0,"time":50,"attributes":{"load":5}}
{"probe":"AUTOPILOT","name":"BEAT","seq":1,"time":150,"attributes":{"load":40}}
{"probe":"AUTOPILOT","name":"BEAT","seq":2,"time":250,"attributes":{"load":7}}
{"from":["GAZEBO",0],"to":["AUTOPILOT",1]}
{"from":["GAZEBO",1],"to":["AUTOPILOT",2]}
`;

const measurement = (name: string, check: string, rest = '') => `
[[measurement]]
name = "${name}"
check = "MATCH (name = 'GUST') AS gust, (name = 'BEAT') AS beat ${check}"
${rest}`;

const OBJECTIVE = `name = "Drone in wind"
${measurement('Beats follow gusts', 'WHEN gust -> beat AGGREGATE count() = 3')}
${measurement('The load stays low', 'WHEN gust -> beat AGGREGATE max(beat.load) < 10')}
${measurement('Soon', 'WHEN gust -> beat AGGREGATE mean(beat.time - gust.time) < 100ns')}
${measurement('None is weak', 'WHEN gust -> beat FILTER gust.force < 1.5', 'should_pass = false')}
[stopping_conditions]
attempts = 10
`;

const files = { 'wind.objective.toml': OBJECTIVE, 'f7.jsonl': SESSION };
const measure = ['objective', 'measure', 'wind.objective.toml', 'f7.jsonl'];
const evaluate = (text: string) => ['expression', 'eval', text, 'f7.jsonl'];
const PAIR = "MATCH (name = 'GUST') AS gust, (name = 'BEAT') AS beat WHEN gust -> beat";

describe.skipIf(!hasClickHouse)('measuring on a ClickHouse server', { timeout: 600_000 }, () => {
  let server: TestServer;
  let engine: readonly string[];
  beforeAll(async () => {
    server = await startClickHouse();
    engine = ['--engine', `clickhouse:${server.url}`];
  }, 600_000);
  afterAll(() => server.stop());

  /** A directory with the session, which is loaded. */
  async function loaded(): Promise<{ readonly cwd: string; readonly id: string }> {
    const cwd = directoryWith(files);
    const args = ['session', 'load', 'f7.jsonl', ...engine, '--format', 'json'];
    const { stdout } = await perturb(args, { cwd });
    return { cwd, id: JSON.parse(stdout).session };
  }

  test('gives the verdict that the embedded engine gives', async () => {
    const { cwd } = await loaded();
    const json = [...measure, '--format', 'json', '--order', 'causal'];
    const [here, there] = await Promise.all([
      perturb(json, { cwd }),
      perturb([...json, ...engine], { cwd }),
    ]);
    expect(there).toMatchObject({ code: 1, stderr: '' });
    // The server always counts, has methods of its own, and tells of events only where they are.
    const apart = ['method', 'bindings', 'attributes', 'values', 'durations'];
    const comparable = (text: string) =>
      JSON.parse(text, (key, value) =>
        apart.includes(key) || (key === 'evidence' && value[0]?.why === 'first')
          ? undefined
          : value,
      );
    expect(comparable(there.stdout)).toEqual(comparable(here.stdout));
    expect(comparable(here.stdout).sessions[0].measurements).toHaveLength(4);
  });

  test('shows what the events of the evidence have', async () => {
    const { cwd, id } = await loaded();
    const args = ['objective', 'measure', 'wind.objective.toml', id, ...engine];
    expect(await perturb(args, { cwd })).toEqual({
      code: 1,
      stdout: `"The load stays low" failed: max(beat.load) was 40, wanted below 10.

${id}
  ✓ passed  Beats follow gusts
      ✓ count() = 3: 3
      the order was not compared with the clocks, because ClickHouse uses only messages and timelines

  ✗ failed  The load stays low
      ✗ max(beat.load) < 10: 40
      the order was not compared with the clocks, because ClickHouse uses only messages and timelines

      the binding with max(beat.load):
      gust: GUST GAZEBO #0, time 100ns
      beat: BEAT AUTOPILOT #1, time 150ns, load 40

  ✓ passed  Soon
      ✓ mean(beat.time - gust.time) < 100ns: 83.3333333333333ns
      the order was not compared with the clocks, because ClickHouse uses only messages and timelines
  ✓ passed  None is weak (does not hold, as expected)
      there is no binding
      the order was not compared with the clocks, because ClickHouse uses only messages and timelines
      FILTER leaves no event of gust
      near miss: GUST at GAZEBO: force 9, wanted below 1.5, and 2 more

3 passed, 1 failed in 1 session
`,
      stderr: '',
    });
  });

  test('evaluates one expression, and lists bindings', async () => {
    const { cwd } = await loaded();
    const args = [...evaluate(PAIR), '--bindings', '9'];
    const { code, stdout, stderr } = await perturb([...args, ...engine], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^✓ holds\n {2}there are 3 bindings\n/);
    const rows = (text: string) => text.slice(text.lastIndexOf('\n\n')).trim().split('\n');
    const here = rows((await perturb(args, { cwd })).stdout);
    expect(rows(stdout).sort()).toEqual(here.sort());
    expect(here).toHaveLength(4);
  });

  test('a session that is not there is said with what to do, and the others are measured', async () => {
    const { cwd } = await loaded();
    const other = directoryWith({ 'f7.jsonl': `${SESSION}\n` });
    const words = [`${other}/f7.jsonl`, 'f8', 'f7.jsonl'];
    const args = ['objective', 'measure', 'wind.objective.toml', ...words, ...engine];
    const { code, stdout, stderr } = await perturb(args, { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^perturb: "f7\.jsonl@\w{16}" is not on the server: load it with "perturb session load"\nperturb: "f8" is neither a file nor a session on the server\n$/,
    );
    expect(stdout).toMatch(/\n3 passed, 1 failed, 2 not read in 3 sessions\n$/);
  });

  test('a log that is read in two ways is two sessions', async () => {
    const tables = ['calm', 'windy'].map(
      (name) => `[reading.${name}]\nfiles = ["${name}.log"]\npattern = "(?<name>${name})"\n`,
    );
    const cwd = directoryWith({
      'runs.log': 'calm then windy {"a":1}\nx\n',
      'perturb.toml': tables.join(''),
    });
    for (const name of ['calm', 'windy']) {
      const flags = ['--reading', name, '--tolerant', ...engine];
      const { stdout } = await perturb(['session', 'load', 'runs.log', ...flags], { cwd });
      expect(stdout).toMatch(/^(?:loaded|already loaded:) "runs\.log@\w{16}", 1 event\n$/);
      const text = `MATCH (name = '${name}') AS a`;
      const { code } = await perturb(['expression', 'eval', text, 'runs.log', ...flags], { cwd });
      expect(code).toBe(0);
    }
  });

  test('a database that is not there is one sentence, and 4', async () => {
    const cwd = directoryWith(files);
    const args = [...measure, '--engine', `clickhouse:${server.url}/none`];
    const { code, stdout, stderr } = await perturb(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(
      /^perturb: http:\/\/[\d.:]+\/none rejected a statement: .*none.* does ?n[o']t exist.*\n$/,
    );
  });
});

/** Listens on a port of its own until the test ends. */
async function listening(server: Server | HttpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/lab`;
}

describe.each([
  ['objective measure', measure],
  ['expression eval', evaluate(PAIR)],
])('%s', (_, args) => {
  const at = (url: string, ...rest: string[]) =>
    perturb([...args, '--engine', `clickhouse:${url}`, ...rest], { cwd: directoryWith(files) });

  test('a server that is away is one sentence, and 4', async () => {
    expect(await at('http://127.0.0.1:9/lab')).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'perturb: http://127.0.0.1:9/lab cannot be reached (ECONNREFUSED): check the URL and the server\n',
    });
  });

  test('a server that does not answer in time is one sentence, and 4', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}).unref());
    const url = await listening(silent);
    expect(await at(url, '--engine-timeout', '300ms')).toEqual({
      code: 4,
      stdout: '',
      stderr: `perturb: ${url} did not respond in time: check the server, or increase the timeout\n`,
    });
  });

  test.each([404, 200])('a page with status %d is no ClickHouse server, and 4', async (status) => {
    const url = await listening(
      createHttpServer((_request, response) => {
        response.writeHead(status).end('<html>Here is no database</html>\n');
      }),
    );
    const { code, stdout, stderr } = await at(url);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^perturb: .+ does not respond like a ClickHouse server.*\n$/);
  });

  test('a password in the URL is wrong usage, and is not repeated', async () => {
    expect(await at('http://me:secret@h:8123/lab')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "perturb: the engine's URL contains a password: remove the password, and set CLICKHOUSE_PASSWORD\n",
    });
  });
});
