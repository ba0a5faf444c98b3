import { LEVELS } from '../diagnostics/index.js';
import { DATE_ORDERS, EPOCHS, FORMATS, SESSION_ORDERS, TIME_UNITS } from '../session/index.js';
import {
  array,
  boolean,
  enumOf,
  enumOrBoolean,
  map,
  string,
  stringOrStrings,
  table,
} from '../toml/index.js';
import { pollFormat } from './polls.js';
import { timingFormat } from './timing.js';

/**
 * The variables that a perturb.toml may name: the file may come from anybody, and it also chooses the
 * server that gets the value. A name of this form is used for nothing else.
 */
export const KEY_VARIABLE = /^PERTURB_(?:\w*_)?KEY$/;

/** Other linters' words for the levels. */
const LEVEL_WORDS = {
  ...{ warning: 'warn', info: 'warn', on: 'warn', fatal: 'error', deny: 'error' },
  ...{ none: 'off', ignore: 'off', disable: 'off', disabled: 'off', allow: 'off', never: 'off' },
} as const;

/** Programs with their arguments. */
const commands = array(array(string(), { nonEmpty: 'name a program' }));

/** What a `perturb.toml` may hold. */
export const configFormat = table({
  lint: {
    description: 'How objectives are checked.',
    format: table({
      include: {
        format: array(string({ nonEmpty: true })),
        description:
          'Globs of the objective files, from the directory of perturb.toml. They replace the search for *.objective.toml when no path is given.',
        example: ['objectives/**/*.toml'],
      },
      exclude: {
        format: array(string({ nonEmpty: true })),
        description: 'Globs of files and directories to leave out, unless they are named.',
        example: ['objectives/drafts/**'],
      },
      mutators: {
        format: array(string({ nonEmpty: true })),
        description:
          'Catalogs to check objectives against: manifests, saved listings, URLs or names of servers.',
        example: ['bench/mutators.toml', 'http://127.0.0.1:8080'],
      },
      sessions: {
        format: array(string({ nonEmpty: true })),
        description:
          'Recorded sessions to check objectives against, as --sessions names them: files, directories and globs. What does not exist yet is left out.',
        example: ['recordings', '.perturb/runs'],
      },
      baseline: {
        format: string({ nonEmpty: true }),
        description: 'A baseline: its findings are not reported again, as with --baseline.',
        example: 'perturb-baseline.json',
      },
      rules: {
        format: map(enumOf(LEVELS, LEVEL_WORDS)),
        description: 'The level of a rule, by its id, or of a group, as in "expression/*".',
      },
    }),
  },
  language: {
    description: 'The language of trace expressions.',
    format: table({
      extensions: {
        format: enumOrBoolean(['allow', 'warn', 'error']),
        description:
          'What to make of the parts of the language that only Perturb is known to evaluate: "allow", which is the default, accepts them, "warn" warns about them, and "error" reports them as errors. true is "allow", and false is "error".',
        default: 'allow',
      },
    }),
  },
  servers: {
    description: 'Mutator servers by name, for --server and --mutators.',
    format: map(
      table({
        url: {
          format: string({ nonEmpty: true }),
          required: true,
          description: 'The URL of the API, with its base path.',
          example: 'http://127.0.0.1:8080',
        },
        api_key_env: {
          format: string({ nonEmpty: true, pattern: KEY_VARIABLE.source }),
          description:
            'The environment variable that holds the API key; its name begins with PERTURB_ and ends with _KEY.',
          example: 'PERTURB_BENCH_KEY',
        },
      }),
    ),
  },
  benches: {
    description:
      'Sets of servers by name, for --bench: attempts are made at several of them at the same time.',
    format: map(
      table({
        servers: {
          format: array(string({ nonEmpty: true })),
          required: true,
          description:
            'URLs or names of the servers of the bench, in the same order for each bench.',
          example: ['bench-a'],
        },
        env: {
          format: map(string()),
          description:
            'Environment variables for its commands, in addition to PERTURB_BENCH, which holds the name of the bench.',
        },
      }),
    ),
  },
  measure: {
    description: 'How objectives are measured.',
    format: table({
      vacuous: {
        format: enumOf(['allow', 'fail']),
        description:
          'What to make of a measurement that is vacuous in all sessions: "allow" shows it, "fail" makes it a failure, as --fail-vacuous does.',
        example: 'fail',
      },
    }),
  },
  recorded: {
    description: 'What the recorded sessions hold.',
    format: table({
      expected: {
        format: array(string({ nonEmpty: true })),
        description:
          'Names of events, probes and attributes, and texts, that good sessions rightly lack: a pattern or a comparison for one of them that meets nothing is not vacuous, and their absence from the recordings is not a mistake.',
        example: ['CRASH', 'error.code'],
      },
    }),
  },
  reading: {
    description:
      'How evidence is read, where its content does not say: a table for each kind of file. Every command and the events of a run use the table whose "files" match the name of the file, or the one that --reading names.',
    format: map(
      table({
        files: {
          format: array(string({ nonEmpty: true }), {
            nonEmpty: 'Write at least one glob, such as "*.log".',
          }),
          required: true,
          description:
            'Globs of the files that are read like this, written as in a .gitignore: a name matches in every directory, a path from the directory of perturb.toml. No file may match two tables.',
          example: ['*.log'],
        },
        from: {
          format: enumOf(FORMATS),
          description: 'The format; recognized by the content when absent.',
          example: 'syslog',
        },
        map: {
          format: string({ nonEmpty: true }),
          description:
            'Where the parts of an event are in a JSON object, or in a row of a table: name, probe, time, seq, timeline; any other key is an attribute.',
          example: 'name=$.msg,probe=$.service,time=$.ts',
        },
        pattern: {
          format: string({ nonEmpty: true }),
          description:
            'A regular expression of a line, with the group name and, if known, probe and time; with vector clocks, the groups host, clock and event.',
          example: '^(?<time>\\S+) (?<probe>\\w+): (?<name>.*)$',
        },
        send: {
          format: string({ nonEmpty: true }),
          description: 'Where an event that sends a message has the key of the message.',
          example: '$.id',
        },
        receive: {
          format: string({ nonEmpty: true }),
          description: 'Where an event that receives a message has its key.',
          example: '$.id',
        },
        probe: {
          format: array(string({ nonEmpty: true })),
          description:
            'For spans: the attributes that name the probe. The first that a span has counts, or service.name.',
          example: ['k8s.pod.name', 'service.name'],
        },
        order: {
          format: enumOf(SESSION_ORDERS),
          description: 'The order of events, as --order gives it.',
          default: 'auto',
        },
        skew: {
          format: string({ nonEmpty: true }),
          description: "How far the recorders' clocks may be apart, as a duration.",
          example: '5ms',
        },
        zone: {
          format: string({ nonEmpty: true }),
          description: 'The time zone of times without one: an offset or a name; UTC when absent.',
          example: 'Europe/Berlin',
        },
        dates: {
          format: enumOf(DATE_ORDERS),
          description: 'The order of day, month and year in dates such as 05/06/2026.',
          example: 'dmy',
        },
        unit: {
          format: enumOf(TIME_UNITS),
          description: 'The unit of times that are numbers.',
          example: 'ms',
        },
        epoch: {
          format: enumOf(EPOCHS),
          description:
            'What times that are numbers count from: 1970, 1900 as spreadsheets do, or the start of the recording.',
          example: 'start',
        },
        join: {
          format: array(string({ nonEmpty: true })),
          description: 'The columns or keys that make up the time, in this order.',
          example: ['Date', 'Time'],
        },
        clock: {
          format: string({ nonEmpty: true }),
          description:
            'For recordings with several clocks, such as MCAP: "publish", or the field of the messages that holds their time. The clock of the recorder when absent.',
          example: 'publish',
        },
      }),
    ),
  },
  run: {
    description: 'How objectives are carried out.',
    format: table({
      servers: {
        format: array(string({ nonEmpty: true })),
        description: 'URLs or names of the servers to mutate at; all of [servers] when absent.',
        example: ['bench'],
      },
      timeout: {
        format: string({ nonEmpty: true }),
        description:
          'How long a server may take to answer, as a duration; 10s by default, and longer for a mutation whose timeout in the manifest requires it.',
        example: '10s',
      },
      attempt_time: {
        format: string({ nonEmpty: true }),
        description:
          'How long an attempt lasts if its command does not end earlier, as a duration.',
        example: '30s',
      },
      command_status: {
        format: enumOf(['judge', 'ignore']),
        description:
          'Whether the status of the command counts: "judge" fails an attempt whose command ends with a status other than 0 or 125; "ignore" is for commands whose status means nothing.',
        example: 'ignore',
      },
      recovery: {
        format: string({ nonEmpty: true }),
        description:
          'What shows that the system has recovered: at the end of its time the mutations of an attempt are reset, the command continues, and this expression must become true of what follows.',
        example: "MATCH (name = 'READY') AS ready",
      },
      recovery_time: {
        format: string({ nonEmpty: true }),
        description: 'How long the system may take to recover, as a duration; 30s by default.',
        example: '30s',
      },
      serve: {
        format: string({ nonEmpty: true }),
        description:
          'A manifest, relative to this file, that a run serves itself where no server is named: it starts the server, and ends it.',
        example: 'mutators.toml',
      },
      setup: {
        format: commands,
        description:
          'Commands that run before each attempt, without faults: one that fails makes the attempt inconclusive.',
        example: [['./reset-database.sh']],
      },
      setup_time: {
        format: string({ nonEmpty: true }),
        description: 'How long each command of setup may take, as a duration; 1min by default.',
        example: '1min',
      },
      teardown: {
        format: commands,
        description:
          'Commands that run after each attempt, without faults, even if it was interrupted: one that fails ends the run.',
        example: [['docker', 'compose', 'down']],
      },
      teardown_time: {
        format: string({ nonEmpty: true }),
        description: 'How long each command of teardown may take, as a duration; 1min by default.',
        example: '1min',
      },
      ready: {
        format: stringOrStrings,
        description:
          'What shows that the system is ready, before anything is injected: an expression that is true of the events so far, or a command that ends with status 0.',
        example: ['curl', '--fail', 'http://127.0.0.1:8000/health'],
      },
      ready_time: {
        format: string({ nonEmpty: true }),
        description:
          'How long the system may take to be ready, as a duration; 30s by default. If it takes longer, the attempt is inconclusive.',
        example: '30s',
      },
      collect: {
        format: commands,
        description:
          'Commands that run at the end of an attempt, after all resets: what they print, or the file whose path they print, is evidence in any format of session import.',
        example: [['kubectl', 'logs', 'deploy/shop', '--since=5m']],
      },
      collect_time: {
        format: string({ nonEmpty: true }),
        description: 'How long each command of collect may take, as a duration; 1min by default.',
        example: '1min',
      },
      timing: {
        format: timingFormat,
        description:
          'When mutations begin and how long they are in force: planned like the values of parameters. A table [run.timing.NAME] replaces this for one mutator, NAME or "NAME@PROBE".',
      },
      tolerant: {
        format: boolean,
        description:
          'Whether an attempt is judged even if some lines of its session are not events; otherwise it is inconclusive.',
        example: true,
      },
    }),
  },
  guard: {
    description: 'What ends an attempt at once.',
    format: table({
      check: {
        format: string({ nonEmpty: true }),
        required: true,
        description:
          'An expression that is watched during each attempt: once it is true, everything is reset, and the attempt ends as guarded.',
        example: "MATCH (name = 'BATTERY_LOW') AS low",
      },
    }),
  },
  polls: {
    description:
      'Questions to the system by name, asked before, during and after the faults of a run: each makes events at the probe of its name.',
    format: map(pollFormat),
  },
  store: {
    description: 'Where objectives are registered.',
    format: table({
      url: {
        format: string({ nonEmpty: true }),
        description: 'A SQLite file as sqlite:PATH, or a PostgreSQL URL without a password.',
        example: 'sqlite:.perturb/objectives.db',
      },
    }),
  },
});
