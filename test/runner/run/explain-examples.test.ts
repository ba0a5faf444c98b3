import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, perturb, perturbProcess } from '../../cli/program.js';

const IN_TIME = `name = "stops in time"
[mutation_constraints]
max_concurrent_mutations = 2
[[measurement]]
name = "each obstacle within 200 ms"
check = """
MATCH (name = 'obstacle') AS seen, (name = 'stop') AS stop
WHEN seen -> stop WITHIN 200ms
FILTER stop.obstacle_id = seen.obstacle_id AND seen.time < session.end - 200ms
AGGREGATE count() >= 1 BY seen
"""
[stopping_conditions]
attempts = 30
`;

const HANDLED_ONCE = `name = "handled once"
[[measurement]]
name = "each order is handled at most once"
check = "MATCH (name = 'handled') AS one AGGREGATE count() <= 1 BY one.id"
[stopping_conditions]
attempts = 14
`;

interface Example {
  readonly name: string;
  readonly objective: string;
  /** Keys of settings.json with their ranges; without them, the example has a manifest. */
  readonly keys: readonly (readonly [key: string, range: string])[];
  readonly command: readonly string[];
  readonly attempts: number;
  /** The parameters that cause the failures. */
  readonly causes: readonly string[];
}

const EXAMPLES: readonly Example[] = [
  {
    name: 'store',
    objective: readFileSync('examples/store/store.objective.toml', 'utf8'),
    keys: [],
    command: ['node', 'workload.js'],
    attempts: 30,
    causes: ['replication-batch writes', 'replication-delay time'],
  },
  {
    name: 'systems/robot',
    objective: IN_TIME,
    keys: [
      ['vision.frame_ms', '8..60'],
      ['camera.every_ms', '20..60'],
    ],
    command: ['sh', '-c', 'node robot.mjs > "$PERTURB_SESSION"'],
    attempts: 30,
    causes: ['vision-frame-ms value'],
  },
  {
    name: 'service',
    objective: HANDLED_ONCE,
    keys: [['warehouse.delay_ms', '0..3000']],
    command: ['node', 'service.mjs'],
    attempts: 14,
    causes: ['warehouse-delay-ms value'],
  },
];

test.each(EXAMPLES.map((example) => [example.name, example] as const))(
  'the mistake of examples/%s is explained first',
  async (name, example) => {
    const { objective, keys, command, attempts, causes } = example;
    const cwd = directoryWith({});
    cpSync(join('examples', name), cwd, { recursive: true });
    writeFileSync(join(cwd, 'example.objective.toml'), objective);
    for (const [key, range] of keys) {
      const words = ['--file', 'settings.json', '--key', key, '--range', range];
      expect((await perturb(['mutators', 'new', 'key', ...words], { cwd })).code).toBe(0);
    }
    const options = ['--serve', 'mutators.toml', '--seed', '1', '--out', 'run'];
    const limit = ['--attempts', `${attempts}`];
    const words = ['objective', 'run', 'example.objective.toml', ...options, ...limit];
    const { code, stderr } = await perturbProcess([...words, '--', ...command], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 1 });
    const { stdout } = await perturb(['runs', 'explain', 'run'], { cwd });
    const [, first = ''] = /^ 1\. (.*)$/m.exec(stdout) ?? [];
    expect(causes.filter((cause) => !first.includes(cause))).toEqual([]);
  },
);
