import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isInstalled } from '../cli/shells.js';
import { homeWith, OBJECTIVE, setUps, surroundings, versionOf } from './editors.js';
import { Terminal } from './terminal.js';

/* Helix itself, set up as docs/editors.md says, on a terminal. */

const hasHelix = versionOf('hx') !== undefined;

function helixHome(): string {
  const found = setUps('toml', 'languages.toml');
  expect(found).toHaveLength(1);
  return homeWith({ '.config/helix/languages.toml': found[0] as string });
}

test.skipIf(!hasHelix)('Helix finds the server', () => {
  const { stdout } = spawnSync('hx', ['--health', 'toml'], {
    ...surroundings(helixHome()),
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/✓.* perturb: /);
});

test.skipIf(!hasHelix || !isInstalled('script'))('Helix', async () => {
  const home = helixHome();
  const helix = new Terminal('hx wind.objective.toml', surroundings(home));
  const finding = /^● +6 +MATCH/m;
  await helix.shows(finding);

  helix.type('/BEAT\r');
  helix.type(' a');
  await helix.shows(/Write 'BEAT'/);
  helix.type('\r');
  await helix.shows(/\(name = 'BEAT'\) AS beat$/m);
  await helix.shows(finding, false);

  helix.type('7ggllllll k');
  const hover = /^\W+9 .*\(name = 'GUST'\) AS gust/m;
  await helix.shows(hover);
  helix.type('\u001b');
  await helix.shows(hover, false);
  helix.type(' r');
  await helix.shows(/rename-to:gust/);
  helix.type('\u0015blow\r');
  await helix.shows(/WHEN blow -> beat/);

  helix.type(':format\r');
  await helix.shows(/^\W+6 +MATCH$/m);
  helix.type(':wq\r');
  await helix.ended();
  expect(readFileSync(join(home, 'bench/wind.objective.toml'), 'utf8')).toBe(
    OBJECTIVE.replace(
      /MATCH[^"]*/,
      `MATCH
  (name = 'GUST') AS blow,
  (name = 'BEAT') AS beat
WHEN blow -> beat
`,
    ),
  );
});
