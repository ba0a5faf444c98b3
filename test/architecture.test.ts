import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { BASICS, INNER_DOORS, inside, mayImport } from './rooms.js';

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

/** What each file of src imports of src, types too. */
const imports: readonly Edge[] = globSync('src/**/*.ts').flatMap((from) =>
  ts
    .preProcessFile(readFileSync(from, 'utf8'), true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => ({
      from,
      to: join(dirname(from), fileName.replace(/\.js$/, '.ts')),
    })),
);

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

test('a room imports only the rooms it may, and others only through their index', () => {
  expect(imports.length).toBeGreaterThan(1_000);
  expect(imports.filter(({ to }) => !existsSync(to))).toEqual([]);
  const wrong = imports.filter(({ from, to }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (room === other || other === 'version.ts') return false;
    const door = doorOf(to);
    if (room === 'cli') return door === undefined;
    if (room === 'program.ts') return to !== 'src/cli/main.ts';
    const allowed = [BASICS, ...(mayImport[room] ?? top[room] ?? [])];
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

test('an inner room imports only the inner rooms it may', () => {
  const wrong = imports.filter(({ from, to }) => {
    if (roomOf(from) !== roomOf(to)) return false;
    const [inner, other] = [innerRoomOf(from), innerRoomOf(to)];
    if (inner === '.' || inner === other) return false;
    return !inside[roomOf(from)]?.[inner]?.includes(other);
  });
  expect(wrong).toEqual([]);
});

test('no imports form a cycle', () => {
  // What imports nothing is in no cycle, nor what imports only such files.
  let left = imports;
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const importing = new Set(left.map(({ from }) => from));
    left = left.filter(({ to }) => importing.has(to));
  }
  expect(left).toEqual([]);
});
