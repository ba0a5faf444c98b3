import { expect, test } from 'vitest';
import { directoryWith, perturb, perturbProcess } from '../../cli/program.js';

const MUTATORS = `
[[mutator]]
name = "valve"
[[mutator.param]]
name = "opening"
type = "integer"
hard_range = [1, 3]
[mutator.actuator]
kind = "file"
path = "valve.txt"
template = "leak"
`;

const OBJECTIVE = `
name = "pipe"
[[measurement]]
name = "no leak"
should_pass = false
check = "MATCH (name = 'leak') AS leak"
[stopping_conditions]
attempts = 1
`;

/** What the valve is set to is the name of the system's only event. */
const SYSTEM = `printf '{"probe":"PIPE","name":"%s","seq":0}\\n' "$(cat valve.txt)" > "$PERTURB_SESSION"`;

function project() {
  const cwd = directoryWith({
    'mutators.toml': MUTATORS,
    'pipe.objective.toml': OBJECTIVE,
    'valve.txt': 'tight',
  });
  const run = (...flags: readonly string[]) => {
    const command = ['--', 'sh', '-c', SYSTEM];
    const serve = ['--serve', 'mutators.toml', '--out', 'run', '--seed', '1'];
    const args = ['objective', 'run', 'pipe.objective.toml', ...serve, ...flags, ...command];
    return perturbProcess(args, { cwd });
  };
  return { run, explain: () => perturb(['runs', 'explain', 'run'], { cwd }) };
}

test('where no attempt passed, the failure is explained beside the baseline', async () => {
  const { run, explain } = project();
  expect((await run()).code).toBe(1);
  const { code, stdout, stderr } = await explain();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(
    /^Attempt 1 of "pipe" failed "no leak" with valve opening=[123]; 1 of 1 attempt failed it\. No attempt passed, but the baseline, without mutations, did\./,
  );
  expect(stdout).toContain(
    'At PIPE, both differ from the first event on: baseline attempt 1 has tight, and attempt 1 has leak.',
  );
});

test('where nothing passed, nothing can be explained', async () => {
  const { run, explain } = project();
  await run('--baseline', '0');
  expect(await explain()).toEqual({
    code: 2,
    stdout: '',
    stderr: `\
perturb: no attempt of run passed, not even without mutations, so there is nothing to compare attempt 1 with
Run the objective with a baseline, or allow less disruptive values.
`,
  });
});
