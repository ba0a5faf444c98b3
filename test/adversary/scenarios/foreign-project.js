import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { isPlainFailure, perturb } from '../harness/program.js';
import { secondsSince } from '../harness/server.js';
import { countingServer } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const OBJECTIVE = `name = "Wind"
[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
[stopping_conditions]
attempts = 10
`;

/** @type {Scenario} */
export const endlessFiles = {
  name: 'endless-files',
  promise:
    'a device, a pipe or a huge file in the place of a file of a project is refused in one line, and no search leaves the project through a link',
  async run({ directory }) {
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    const outside = join(directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.objective.toml'), 'password = "hunter2"\n');
    const commands = {
      'perturb.toml': [['objective', 'lint'], ['doctor'], ['mutators', 'list']],
      'm.toml': [
        ['objective', 'lint', 'a.toml', '--mutators', 'm.toml'],
        ['mutators', 'lint'],
        ['serve', 'mutators', 'm.toml', '--dry-run'],
      ],
      'b.toml': [
        ['objective', 'lint', 'b.toml'],
        ['objective', 'fmt', '--check', 'b.toml'],
        ['objective', 'create', 'b.toml', '--dry-run'],
      ],
    };
    let tried = 0;
    for (const kind of /** @type {const} */ (['device', 'pipe', 'huge'])) {
      for (const [file, all] of Object.entries(commands)) {
        const place = join(directory, `${kind}-${file}`);
        mkdirSync(place);
        writeFileSync(join(place, 'a.toml'), OBJECTIVE);
        const trap = join(place, file);
        if (kind === 'device') symlinkSync('/dev/zero', trap);
        else if (kind === 'pipe') spawnSync('mkfifo', [trap]);
        else {
          writeFileSync(trap, '');
          truncateSync(trap, 2 ** 40);
        }
        for (const words of all) {
          // A pipe that the command line names is waited for.
          if (kind === 'pipe' && words.includes('m.toml')) continue;
          tried += 1;
          const { code, stderr } = await perturb(place, words);
          const isRefused = (code === 2 || code === 4) && /^perturb: [^\n]+\n/.test(stderr);
          if (!isRefused) broken.push(`${kind}: ${words.join(' ')}: ${code}, ${stderr}`);
        }
      }
    }
    const place = join(directory, 'links');
    mkdirSync(place);
    symlinkSync(outside, join(place, 'far'));
    symlinkSync(join(outside, 'secret.objective.toml'), join(place, 'b.objective.toml'));
    for (const include of ['', '[lint]\ninclude = ["**/*.toml"]\n']) {
      writeFileSync(join(place, 'perturb.toml'), include);
      tried += 1;
      const { stdout, stderr } = await perturb(place, ['objective', 'lint']);
      if (`${stdout}${stderr}`.includes('hunter2')) broken.push(`shown through a link: ${include}`);
    }
    return { figures: `${tried} commands in ${secondsSince(since)}`, broken };
  },
};

const ENDLESS = '(with recursive r(n) as (select 1 union all select n + 1 from r) select n from r)';

/** What somebody may do to a store before it is handed on. */
const PLANTED = {
  'a view for a table': [
    'alter table perturb_objectives rename to moved',
    `create view perturb_objectives as
     select id, name, revision, created_at, deleted_at from moved, ${ENDLESS}`,
  ],
  'a trigger': [
    `create trigger t before insert on perturb_objectives begin select count(*) from ${ENDLESS}; end`,
  ],
  'a computed column': [
    'alter table perturb_objectives add column big text as (hex(zeroblob(900000000)))',
  ],
};

/** @type {Scenario} */
export const plantedStore = {
  name: 'planted-store',
  promise:
    'a store that came with a repository cannot make Perturb compute: all but plain tables is refused by name',
  async run({ directory }) {
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    let tried = 0;
    for (const [what, statements] of Object.entries(PLANTED)) {
      const place = join(directory, what);
      mkdirSync(place);
      writeFileSync(join(place, 'a.toml'), OBJECTIVE);
      await perturb(place, ['objective', 'create', 'a.toml']);
      const database = new Sqlite(join(place, '.perturb/objectives.db'));
      for (const statement of statements) database.exec(statement);
      database.close();
      for (const words of [['list'], ['show', 'Wind'], ['create', 'a.toml']]) {
        tried += 1;
        const outcome = await perturb(place, ['objective', ...words]);
        if (!isPlainFailure(outcome)) {
          broken.push(`${what}: ${words[0]}: ${outcome.code}, ${outcome.stderr}`);
        }
      }
    }
    return { figures: `${tried} commands in ${secondsSince(since)}`, broken };
  },
};

/** @type {Scenario} */
export const foreignConfig = {
  name: 'foreign-config',
  promise:
    'a perturb.toml of somebody else gets no variable but PERTURB_..._KEY sent, and with --offline nobody is asked',
  async run(place) {
    const { directory } = place;
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    const seen = await countingServer(place);
    const commands = [
      ['objective', 'lint', 'a.toml'],
      ['objective', 'create', 'a.toml'],
      ['objective', 'new', 'Wind'],
      ['mutators', 'list'],
      ['doctor'],
    ];
    const env = { GITHUB_TOKEN: 'ghp_secret', PERTURB_BENCH_KEY: 'meant' };
    const config = (/** @type {string} */ variable) =>
      `[lint]\nmutators = ["bench"]\n[servers.bench]\nurl = "${seen.url}"\napi_key_env = "${variable}"\n`;
    writeFileSync(join(directory, 'a.toml'), OBJECTIVE);
    writeFileSync(join(directory, 'perturb.toml'), config('GITHUB_TOKEN'));
    for (const words of commands) {
      const { code, stdout, stderr } = await perturb(directory, words, env);
      if (code !== 2) broken.push(`${words.join(' ')}: ${code}, ${stderr}`);
      if (/ghp_secret/.test(seen.headers + stdout + stderr))
        broken.push(`${words.join(' ')} gave it away`);
    }
    const store = `[store]\nurl = "postgres://127.0.0.1:${seen.port}/perturb"\n`;
    writeFileSync(join(directory, 'perturb.toml'), config('PERTURB_BENCH_KEY') + store);
    const before = seen.connections;
    for (const words of commands) {
      if (words[0] !== 'mutators') await perturb(directory, [...words, '--offline'], env);
    }
    const asked = seen.connections - before;
    if (asked !== 0) broken.push(`${asked} connections with --offline`);
    let tried = 2 * commands.length - 1;
    if (process.getuid?.() === 0) {
      chownSync(join(directory, 'perturb.toml'), 12, 34);
      for (const words of commands) {
        const { code, stderr } = await perturb(directory, words, env);
        if (code !== 2 || !stderr.includes('--config'))
          broken.push(`${words.join(' ')} with one of another user: ${code}, ${stderr}`);
        tried += 1;
      }
      if (seen.connections !== before) broken.push('it was followed');
    }
    const figures = `${tried} commands in ${secondsSince(since)}`;
    return { figures, broken };
  },
};

/** Clears the screen, sets a title, hides what follows, turns the line around, and ends it. */
const ACTS = '\u001b[2J\u001b]0;title\u0007\u001b[8m\u009b1m\u202e\u2028\r';

/** @type {Scenario} */
export const actingNames = {
  name: 'acting-names',
  promise: 'no name of a file and nothing in it acts on the terminal of a command',
  async run({ directory }) {
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    const commands = [
      ['objective', 'lint', `${ACTS}*.x`],
      ['objective', 'lint', 'a.toml', '--baseline', `${ACTS}.json`],
      ['objective', 'lint', '--config', ACTS],
      ['objective', 'lint', `${ACTS}.toml`, '--mutators', ACTS],
      ['objective', 'fmt', '--check', `${ACTS}.toml`],
      ['objective', 'show', ACTS],
      ['mutators', 'lint', ACTS],
      ['serve', 'mutators', ACTS],
      ['session', 'inspect', ACTS],
      ['rules', 'explain', ACTS],
    ];
    writeFileSync(join(directory, 'a.toml'), OBJECTIVE);
    writeFileSync(join(directory, `${ACTS}.json`), '{}');
    writeFileSync(join(directory, `${ACTS}.toml`), `# ${ACTS}\nname = ${ACTS}`);
    for (const words of commands) {
      const { stderr } = await perturb(directory, words);
      if (/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(stderr)) {
        broken.push(`${words.slice(0, 2).join(' ')}: ${JSON.stringify(stderr)}`);
      }
    }
    return { figures: `${commands.length} commands in ${secondsSince(since)}`, broken };
  },
};
