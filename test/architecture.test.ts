import { readdirSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { expect, test } from 'vitest';

/** Which rooms each room may import, apart from itself. docs/architecture.md says why. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  source: [],
  diagnostics: ['source'],
  toml: ['source', 'diagnostics'],
  expression: ['source', 'diagnostics'],
  mutators: ['source', 'diagnostics', 'toml'],
  objective: ['expression', 'mutators', 'toml', 'diagnostics', 'source'],
  reporters: ['diagnostics', 'source'],
  store: ['objective'],
  server: ['mutators', 'toml', 'diagnostics', 'source'],
};

/** Files beside the rooms, and the rooms they may import: undefined for all of them. */
const top: Readonly<Record<string, readonly string[] | undefined>> = {
  'bin.ts': [],
  'program.ts': ['cli'],
  'index.ts': ['source', 'diagnostics', 'expression', 'mutators', 'objective', 'reporters'],
  'version.ts': [],
};

const rooms = [...Object.keys(mayImport), 'cli'];

async function imports(): Promise<{ from: string; to: string }[]> {
  const { output } = await cruise(['src'], {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    includeOnly: '^src/',
  });
  return (output as ICruiseResult).modules.flatMap((module) =>
    module.dependencies.map((dependency) => ({ from: module.source, to: dependency.resolved })),
  );
}

/** `src/expression/rules/x.ts` is in room `expression`; `src/bin.ts` is `bin.ts`. */
function roomOf(path: string): string {
  return path.split('/')[1] as string;
}

/** The files through which a room is imported. */
function isDoor(path: string): boolean {
  return path.endsWith('/index.ts') || path === 'src/mutators/model.ts';
}

test('src holds the rooms and nothing else', () => {
  const names = readdirSync('src').sort();
  expect(names).toEqual([...rooms, ...Object.keys(top)].sort());
});

test('a room imports only the rooms it may, and others only through their index', async () => {
  const edges = await imports();
  expect(edges.length).toBeGreaterThan(100);
  const wrong = edges.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (room === other || other === 'version.ts') return false;
    if (room === 'cli') return !rooms.includes(other) || !isDoor(to);
    if (room === 'program.ts') return !/^src\/cli\/(main|lint-threads|thread-name)\.ts$/.test(to);
    const allowed = mayImport[room] ?? top[room] ?? [];
    return !allowed.includes(other) || !isDoor(to);
  });
  expect(wrong).toEqual([]);
});

test('no import goes in a circle', async () => {
  const { output } = await cruise(['src'], {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    includeOnly: '^src/',
    validate: true,
    ruleSet: {
      forbidden: [{ name: 'no-circle', severity: 'error', from: {}, to: { circular: true } }],
    },
  });
  const circles = (output as ICruiseResult).summary.violations.map(
    ({ from, to }) => `${from} -> ${to}`,
  );
  expect(circles).toEqual([]);
});
