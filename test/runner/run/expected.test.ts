import { expect, test } from 'vitest';
import { directoryWith, perturb } from '../../cli/program.js';
import { serveHttp } from '../../mutators/client/servers.js';

const OBJECTIVE = `
name = "calm"

[[measurement]]
name = "no crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = 1
`;

const mutator = (id: string, probe: string) => ({
  mutator_correlation_id: id,
  attributes: {
    'mutator.name': 'wind',
    'mutator.probe': probe,
    'mutator.params.on.name': 'on',
    'mutator.params.on.value_type': 'Bool',
  },
});

/** A server that has its second mutator only from a listing on. */
async function growingServer(from: number) {
  const asked = { times: 0 };
  const url = await serveHttp((_request, response) => {
    asked.times += 1;
    const all = [mutator('a', 'A'), mutator('b', 'B')];
    response.end(JSON.stringify(asked.times < from ? all.slice(0, 1) : all));
  });
  return { url, asked };
}

const plan = (url: string, ...flags: readonly string[]) =>
  perturb(['objective', 'run', 'calm.objective.toml', '-s', url, '--plan', ...flags], {
    cwd: directoryWith({ 'calm.objective.toml': OBJECTIVE }),
  });

test('--expect waits until the servers have every mutator', async () => {
  const { url, asked } = await growingServer(3);
  const { code, stdout } = await plan(url, '--expect', 'wind@A', '--expect', 'wind@B');
  expect(code).toBe(0);
  expect(stdout).toContain('mutators  2, at most 1 at a time\n');
  // Three until it is complete, and the one that the run uses.
  expect(asked.times).toBe(4);
});

test('--expect names what is missing when patience ends: 4', async () => {
  const { url } = await growingServer(Number.POSITIVE_INFINITY);
  const words = ['--expect', 'wind', '--expect', 'wind@B', '--expect', 'gps'];
  expect(await plan(url, ...words, '--patience', '1ms')).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: the bench is incomplete after 1ms: no server has "wind@B", "gps"
Start the server, or wait longer with --patience. perturb mutators list shows a server's mutators.
`,
  });
});

test('--expect without a name does not wait: 2', async () => {
  const { url, asked } = await growingServer(1);
  const { code, stderr } = await plan(url, '--expect', '');
  expect([code, stderr]).toEqual([
    2,
    "perturb: option '--expect <mutator>' argument '' is invalid. Expected the name of a mutator, NAME or NAME@PROBE.\n",
  ]);
  expect(asked.times).toBe(0);
});
