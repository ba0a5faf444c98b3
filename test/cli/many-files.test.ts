import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLEAN, directoryWith, perturb, WARNED, WRONG } from './program.js';

/** Enough for several threads, where there are cores for them. */
const MANY = 15_000;

/** Every 97th is wrong, every 101st warned of, one has a related place, one is no UTF-8. */
function contentOf(index: number): string | Uint8Array {
  if (index === 500) return TWICE;
  if (index === 501) return Buffer.concat([Buffer.from('# \xff\n', 'latin1'), Buffer.from(CLEAN)]);
  if (index % 97 === 0) return WRONG;
  return index % 101 === 0 ? WARNED : CLEAN;
}

const TWICE = `${CLEAN}
[[mutator]]
name = "wind"

[[mutator]]
name = "wind"
`;

const nameOf = (index: number) => `${String(index).padStart(5, '0')}.toml`;

describe('many files', () => {
  const names = Array.from({ length: MANY }, (_, index) => nameOf(index));
  const files = Object.fromEntries(names.map((name, index) => [name, contentOf(index)]));

  it('have the report of the same files in small portions', async () => {
    const cwd = directoryWith(files);
    const lint = (paths: readonly string[]) =>
      perturb(['objective', 'lint', ...paths, '--format', 'compact'], { cwd });
    const portions = [];
    for (let at = 0; at < MANY; at += 3_000) portions.push(await lint(names.slice(at, at + 3_000)));
    const findings = (stdout: string) =>
      stdout.split('\n').filter((line) => line.includes('.toml:'));
    const expected = portions.flatMap(({ stdout }) => findings(stdout));
    expect(expected).toHaveLength(304);

    const { code, stdout, stderr } = await lint(['*.toml']);
    expect(findings(stdout)).toEqual(expected);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  });

  it('show the text of the file beside a finding, and the place that belongs to it', async () => {
    const cwd = directoryWith(files);
    const { stdout } = await perturb(['objective', 'lint', '*.toml', '--format', 'json'], { cwd });
    const { findings } = JSON.parse(stdout);
    const [twice] = findings.filter(({ file }: { file: string }) => file === nameOf(500));
    expect(twice.message).toBe('duplicate mutator "wind"');
    expect(twice.range.start).toEqual({ offset: 197, line: 14, column: 8 });
    expect(twice.related).toEqual([
      {
        message: 'the first one',
        file: nameOf(500),
        range: {
          start: { offset: 170, line: 11, column: 8 },
          end: { offset: 176, line: 11, column: 14 },
        },
      },
    ]);
  });

  it('are reported also when one cannot be read', async () => {
    const cwd = directoryWith(files);
    const gone = join(cwd, nameOf(700));
    rmSync(gone);
    symlinkSync('nowhere', gone);
    const { code, stdout, stderr } = await perturb(['objective', 'lint', ...names, '-q'], { cwd });
    expect(stderr).toBe(`perturb: cannot read ${nameOf(700)}: no such file or directory\n`);
    expect(stdout).toMatch(/\n157 errors in 14999 files, 147 warnings hidden\n$/);
    expect(code).toBe(2);
  });

  it('are held against the mutators of a manifest', async () => {
    const cwd = directoryWith({
      ...Object.fromEntries(
        names.map((name) => [name, TWICE.replace('[[mutator]]\nname = "wind"\n\n', '')]),
      ),
      'bench/mutators.toml': MANIFEST,
    });
    const args = ['objective', 'lint', '*.toml', '--mutators', 'bench/mutators.toml'];
    const { stdout } = await perturb([...args, '--format', 'json'], { cwd });
    const { findings } = JSON.parse(stdout);
    expect(findings).toHaveLength(MANY);
    expect(new Set(findings.map(({ rule }: { rule: string }) => rule))).toEqual(
      new Set(['catalog/unknown-mutator']),
    );
  });
});

const MANIFEST = `[[mutator]]
id = "gust"
name = "gust"
operation = "set_to_value"

[[mutator.param]]
name = "speed"
type = "float"

[mutator.actuator]
kind = "file"
path = "wind.json"
key = ["speed"]
value = "{speed}"
`;
