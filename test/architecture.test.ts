import { readdirSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { expect, test } from 'vitest';

/**
 * Which rooms each room may import, apart from itself; `mutators/values` is the door of a room
 * inside `mutators`. docs/architecture.md says why.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  durable: [],
  source: [],
  diagnostics: ['source'],
  toml: ['source', 'diagnostics'],
  expression: ['source', 'diagnostics'],
  mutators: ['source', 'diagnostics', 'toml'],
  objective: [
    ...['expression', 'mutators/model', 'mutators/values', 'toml', 'diagnostics', 'source'],
  ],
  config: ['toml', 'diagnostics', 'source'],
  editor: [
    ...['objective', 'objective/fmt', 'expression', 'mutators', 'config', 'toml'],
    ...['diagnostics', 'source'],
  ],
  reporters: ['diagnostics', 'source'],
  session: ['mutators/values'],
  evaluation: ['expression', 'session'],
  runner: ['objective', 'evaluation', 'session', 'mutators', 'durable', 'diagnostics'],
  report: ['evaluation', 'runner', 'session', 'mutators'],
  store: ['objective'],
  server: ['mutators', 'toml', 'durable', 'diagnostics', 'source'],
};

/**
 * The rooms inside a room, and which of their siblings each may import. `.` is the files of
 * the room itself, which may import every inner room; an inner room may import the room's own
 * files only where its row has `.`.
 */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  diagnostics: {
    ignores: ['.'],
    fixes: ['.'],
    pages: ['.'],
  },
  toml: {
    positions: [],
    'syntax-errors': ['positions'],
    format: ['positions'],
  },
  expression: {
    tree: [],
    lexer: ['tree'],
    grammar: ['lexer', 'tree'],
    diagnosis: ['grammar', 'lexer', 'tree'],
    analysis: ['tree'],
    rules: ['.', 'analysis', 'tree'],
  },
  mutators: {
    values: [],
    model: ['values'],
    wire: ['model', 'values'],
    manifest: ['wire', 'model', 'values'],
    client: ['manifest', 'wire', 'model', 'values'],
  },
  editor: {
    text: [],
    features: ['.', 'text'],
  },
  evaluation: {
    exact: [],
    query: ['exact'],
    select: ['query', 'exact'],
    order: ['select'],
    join: ['order', 'select', 'query', 'exact'],
    methods: ['join', 'order', 'select', 'query', 'exact'],
    answer: ['methods', 'join', 'order', 'select', 'query', 'exact'],
    clickhouse: ['answer', 'query', 'exact'],
  },
  objective: {
    new: [],
    fmt: ['.'],
    rules: ['.'],
  },
  reporters: {
    pretty: ['.'],
    ci: ['.'],
  },
  session: {
    columns: ['.'],
    inspect: ['columns', '.'],
    neutral: ['columns', '.'],
    importers: ['columns', '.'],
    files: ['columns', '.'],
  },
  store: {
    migrations: [],
  },
  report: {
    svg: ['.'],
    'space-time': ['svg', '.'],
  },
  runner: {
    plan: [],
    journal: ['plan', '.'],
    record: ['plan'],
    loop: ['journal', 'plan'],
    shrink: ['plan'],
    edge: ['shrink', 'loop', 'record', 'journal', 'plan', '.'],
  },
  server: {
    state: [],
    actuators: ['state'],
    host: ['actuators', 'state'],
    api: ['host'],
    startup: ['api', 'host', 'state'],
    observe: ['startup', 'api', 'host'],
  },
  cli: {
    runtime: [],
    terminal: ['runtime'],
    config: ['runtime'],
    files: ['config', 'terminal', 'runtime'],
    help: ['files', 'runtime'],
    verdict: ['session', 'terminal', 'runtime'],
    expression: ['verdict', 'session', 'files', 'config', 'terminal', 'runtime'],
    mutators: ['files', 'config', 'terminal', 'runtime'],
    objective: ['verdict', 'session', 'files', 'config', 'terminal', 'runtime'],
    rules: ['files', 'config', 'terminal', 'runtime'],
    doctor: ['objective', 'files', 'config', 'terminal', 'runtime'],
    session: ['files', 'config', 'terminal', 'runtime'],
    schema: ['files', 'config', 'terminal', 'runtime'],
    lsp: ['rules', 'runtime'],
    serve: ['files', 'config', 'terminal', 'runtime'],
  },
};

/** Files beside the rooms, and the rooms they may import: undefined for all of them. */
const top: Readonly<Record<string, readonly string[] | undefined>> = {
  'bin.ts': [],
  'program.ts': ['cli'],
  'languageserver.ts': ['editor'],
  'index.ts': [
    'source',
    'diagnostics',
    'expression',
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

async function imports(): Promise<Edge[]> {
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

/** `src/expression/rules/x.ts` is in the inner room `rules`; `src/expression/parse.ts` in `.`. */
function innerRoomOf(path: string): string {
  const parts = path.split('/');
  return parts.length > 3 ? (parts[2] as string) : '.';
}

/** Rooms inside a room that may be imported by themselves: starting costs less without the rest. */
const INNER_DOORS = [
  'evaluation/clickhouse',
  'mutators/model',
  'mutators/values',
  'objective/fmt',
  'session/files',
];

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
    if (room === 'program.ts') {
      return !/^src\/cli\/(main|files\/(lint-threads|thread-name))\.ts$/.test(to);
    }
    const allowed = mayImport[room] ?? top[room] ?? [];
    return door === undefined || !allowed.includes(door);
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
