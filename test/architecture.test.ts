import { readdirSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import { INNER_DOORS, inside, mayImport } from './rooms.js';

/** Files beside the rooms, and the rooms they may import: undefined for all of them. */
const top: Readonly<Record<string, readonly string[] | undefined>> = {
  'bin.ts': [],
  'program.ts': ['cli'],
  'languageserver.ts': ['editor'],
  'index.ts': [
    'source',
    'diagnostics',
    'expression',
    'values',
    'evaluation',
    'session',
    'mutators',
    'objective',
    'reporters',
  ],
  'version.ts': [],
};

const rooms = [...Object.keys(mayImport), 'cli'];

interface Edge {
  readonly from: string;
  readonly to: string;
}

const cruised = cruise(['src'], {
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  includeOnly: '^src/',
  validate: true,
  ruleSet: {
    forbidden: [{ name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } }],
  },
}).then(({ output }) => output as ICruiseResult);

async function imports(): Promise<Edge[]> {
  return (await cruised).modules.flatMap((module) =>
    module.dependencies.map((dependency) => ({ from: module.source, to: dependency.resolved })),
  );
}

/** `src/expression/rules/x.ts` is in room `expression`; `src/bin.ts` is `bin.ts`. */
function roomOf(path: string): string {
  return path.split('/')[1] as string;
}

/** `src/expression/rules/x.ts` is in the inner room `rules`; `src/expression/parse.ts` in `.`. */
function innerRoomOf(path: string): string {
  const parts = path.split('/');
  return parts.length > 3 ? (parts[2] as string) : '.';
}

/** The room that a file is the door of. */
function doorOf(path: string): string | undefined {
  const door = /^src\/(.+)\/index\.ts$/.exec(path)?.[1];
  return door !== undefined && [...rooms, ...INNER_DOORS].includes(door) ? door : undefined;
}

function foldersIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

test('src holds the rooms and nothing else', () => {
  const names = readdirSync('src').sort();
  expect(names).toEqual([...rooms, ...Object.keys(top)].sort());
});

test('each room holds its inner rooms and no others', () => {
  const found = rooms.map((room) => [room, foldersIn(`src/${room}`)]);
  const expected = rooms.map((room) => [room, Object.keys(inside[room] ?? {}).sort()]);
  expect(found).toEqual(expected);
});

test('a room imports only the rooms it may, and others only through their index', async () => {
  const edges = await imports();
  expect(edges.length).toBeGreaterThan(100);
  const wrong = edges.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (room === other || other === 'version.ts') return false;
    const door = doorOf(to);
    if (room === 'cli') return door === undefined;
    if (room === 'program.ts') return to !== 'src/cli/main.ts';
    const allowed = mayImport[room] ?? top[room] ?? [];
    return door === undefined || !allowed.includes(door);
  });
  expect(wrong).toEqual([]);
});

test('an inner room stands behind those it may import', () => {
  const wrong = Object.entries(inside).flatMap(([room, rows]) => {
    const order = ['.', ...Object.keys(rows)];
    return Object.entries(rows).flatMap(([inner, others]) =>
      others
        .filter((other) => !order.slice(0, order.indexOf(inner)).includes(other))
        .map((other) => `${room}: ${inner} before ${other}`),
    );
  });
  expect(wrong).toEqual([]);
});

test('an inner room imports only the inner rooms it may', async () => {
  const wrong = (await imports()).filter(({ from, to }) => {
    if (roomOf(from) !== roomOf(to)) return false;
    const [inner, other] = [innerRoomOf(from), innerRoomOf(to)];
    if (inner === '.' || inner === other) return false;
    return !inside[roomOf(from)]?.[inner]?.includes(other);
  });
  expect(wrong).toEqual([]);
});

test('no imports form a cycle', async () => {
  const cycles = (await cruised).summary.violations.map(({ from, to }) => `${from} -> ${to}`);
  expect(cycles).toEqual([]);
});
