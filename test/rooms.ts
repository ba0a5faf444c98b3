/* The rooms of src/: docs/architecture.md draws them, and a test holds them. */

/** The room that all others may import. */
export const BASICS = 'basics';

/**
 * Which rooms each room may import, apart from itself and the basics, which only the lowest name here.
 * docs/architecture.md says why.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  [BASICS]: [],
  durable: [BASICS],
  source: [BASICS],
  statistics: [BASICS],
  diagnostics: ['source'],
  toml: ['source', 'diagnostics'],
  values: ['source', 'diagnostics'],
  records: ['values', 'diagnostics'],
  session: ['durable', 'values', 'diagnostics', 'source'],
  expression: ['session', 'values', 'source', 'diagnostics'],
  actuators: ['durable', 'records', 'values', 'toml', 'diagnostics', 'source'],
  mutators: ['actuators', 'durable', 'values', 'toml', 'diagnostics', 'source'],
  objective: [...['expression', 'mutators/model', 'values', 'toml', 'diagnostics', 'source']],
  config: ['session', 'values', 'toml', 'diagnostics', 'source'],
  editor: [
    ...['objective', 'objective/fmt', 'expression', 'session', 'session/recordings', 'mutators'],
    ...['config', 'toml', 'durable', 'values', 'diagnostics', 'source'],
  ],
  reporters: [
    ...['results', 'runner', 'excerpt', 'evaluation', 'records', 'values', 'diagnostics', 'source'],
    ...['statistics', 'comparison'],
  ],
  evaluation: ['expression', 'session', 'values', 'diagnostics', 'source'],
  runner: [
    'records',
    'values',
    'expression',
    'objective',
    'evaluation',
    'session',
    'session/files',
    'session/growing',
    'mutators',
    'durable',
    'diagnostics',
  ],
  excerpt: ['evaluation', 'session', 'values', 'source'],
  explain: ['statistics', 'session', 'source'],
  comparison: ['runner', 'evaluation', 'statistics', 'values'],
  results: [
    ...[
      'explain',
      'expression',
      'records',
      'values',
      'excerpt',
      'evaluation',
      'runner',
      'session',
      'diagnostics',
      'statistics',
      'comparison',
      'source',
    ],
  ],
  report: ['results', 'values', 'runner', 'statistics'],
  store: ['objective', 'values', 'diagnostics', 'durable'],
  'ready-made': ['durable'],
  server: [
    ...['actuators/acting', 'actuators', 'mutators', 'records', 'values', 'toml', 'durable'],
    ...['diagnostics', 'source'],
  ],
};

/**
 * The rooms inside a room, and which of their siblings each may import, all of them before it. `.` is the files of
 * the room itself, which may import every inner room; an inner room may import the room's own
 * files only where its row has `.`.
 */
export const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  toml: {
    positions: [],
    format: ['positions'],
    'syntax-errors': ['positions', 'format'],
  },
  expression: {
    functions: [],
    tree: [],
    lexer: ['tree'],
    grammar: ['lexer', 'tree', 'functions'],
    diagnosis: ['grammar', 'lexer', 'tree', 'functions'],
    analysis: ['tree', 'functions'],
    rules: ['analysis', 'lexer', 'tree', 'functions'],
  },
  actuators: {
    exec: ['.'],
    http: ['.'],
    file: ['.'],
    module: ['.'],
    verify: ['http', 'exec', '.'],
    acting: ['verify', 'module', 'file', 'http', 'exec', '.'],
  },
  mutators: {
    model: [],
    wire: ['model'],
    manifest: ['wire', 'model'],
    client: ['manifest', 'wire', 'model'],
  },
  editor: {
    text: [],
    features: ['.', 'text'],
  },
  evaluation: {
    exact: [],
    query: ['exact'],
    select: ['query', 'exact'],
    order: ['select', 'query', 'exact'],
    clocks: ['order', 'select', 'query', 'exact'],
    join: ['order', 'select', 'query', 'exact'],
    methods: ['join', 'order', 'select', 'query', 'exact'],
    answer: ['methods', 'join', 'clocks', 'order', 'select', 'query', 'exact'],
    clickhouse: ['answer', 'clocks', 'order', 'select', 'query', 'exact'],
  },
  objective: {
    fmt: ['.'],
    rules: ['.'],
  },
  reporters: {
    terminal: ['.'],
    pretty: ['terminal', '.'],
    ci: ['.'],
    results: ['terminal', '.'],
  },
  session: {
    columns: ['.'],
    importers: ['columns', '.'],
    files: ['columns', '.'],
    growing: ['columns', 'importers', '.'],
    recordings: ['files', '.'],
  },
  store: {
    postgres: ['.'],
    sqlite: ['.'],
  },
  'ready-made': {
    shared: [],
    clock: ['shared'],
    containers: ['shared'],
    machine: ['shared'],
    network: ['shared'],
    process: ['shared'],
    proxy: ['shared'],
  },
  runner: {
    plan: [],
    polls: ['.'],
    journal: ['polls', 'plan', '.'],
    attempt: ['journal', 'polls', 'plan', '.'],
    shrink: ['attempt', 'journal', 'plan'],
    io: ['shrink', 'attempt', 'journal', 'polls', 'plan', '.'],
  },
  server: {
    host: [],
    api: ['host'],
    startup: ['api', 'host'],
    observe: ['startup', 'api', 'host'],
  },
  cli: {
    runtime: [],
    config: ['runtime'],
    files: ['config', 'runtime'],
    help: ['files', 'runtime'],
    session: ['files', 'config', 'runtime'],
    expression: ['session', 'files', 'config', 'runtime'],
    mutators: ['files', 'config', 'runtime'],
    objective: ['session', 'files', 'config', 'runtime'],
    runs: ['objective', 'files', 'config', 'runtime'],
    init: ['objective', 'mutators', 'session', 'files', 'config', 'runtime'],
  },
};

/** Rooms inside a room that may be imported by themselves: starting costs less without the rest. */
export const INNER_DOORS = [
  'actuators/acting',
  'evaluation/clickhouse',
  'mutators/model',
  'objective/fmt',
  'reporters/results',
  'reporters/terminal',
  'session/files',
  'session/growing',
  'session/recordings',
];
