import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { perturbProcess } from '../cli/program.js';
import { drawFlow } from './flow.js';
import { pictures } from './pictures.js';
import { drawRooms } from './rooms.js';
import { drawSpaceTime } from './space-time.js';
import { drawTerminal } from './terminal.js';

/* The pictures of the docs are made here: `npm run golden` draws what is missing or changed. */

test.each(Object.entries(pictures))('the picture %s', async (name, diagram) => {
  await expect(drawSpaceTime(diagram)).toMatchFileSnapshot(`../../docs/pictures/${name}.svg`);
});

test('the picture of a report', async () => {
  const args = ['objective', 'lint', 'wind.objective.toml'];
  const { stdout } = await perturbProcess([...args, '--color'], { cwd: 'examples' });
  const command = `\u001b[32m$\u001b[39m perturb ${args.join(' ')}`;
  const picture = drawTerminal(
    'What perturb objective lint prints for a file with five findings.',
    [command, ...stdout.trimEnd().split('\n')],
  );
  await expect(picture).toMatchFileSnapshot('../../docs/pictures/report.svg');
});

test('the picture of the flow', async () => {
  const picture = drawFlow('The flow of an experiment, from an objective to a verdict.', [
    { name: 'objective', does: ['what to change', 'and to measure'], ours: true },
    { name: 'run', does: ['by Perturb, or', 'by a reflector'], ours: true },
    { name: 'mutators', does: ['change it, and', 'change it back'], ours: true },
    { name: 'system', does: ['under test', 'reacts'] },
    { name: 'events', does: ['recorded as', 'a session'] },
    { name: 'verdict', does: ['measurements', 'pass or fail'], ours: true },
  ]);
  await expect(picture).toMatchFileSnapshot('../../docs/pictures/flow.svg');
});

test('the picture of the rooms', async () => {
  const picture = drawRooms('The rooms of src and which imports which.');
  await expect(picture).toMatchFileSnapshot('../../docs/pictures/rooms.svg');
});

test('every picture that lies there is made here', () => {
  const made = [...Object.keys(pictures), 'flow', 'report', 'rooms'].map((name) => `${name}.svg`);
  // Taken of the report of a run, in a browser.
  made.push('run-report.png');
  // Taken of VS Code by `npm run vscode -- --pictures`.
  made.push('vscode-hover.png', 'vscode-problems.png');
  expect(readdirSync('docs/pictures').filter((name) => !made.includes(name))).toEqual([]);
});
