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
 * Matches the API key variables, the only environment variables that an untrusted perturb.toml may
 * use. The file's author also chooses the server that receives the key, so variables with these
 * names must have no other use.
 */
export const KEY_VARIABLE = /^PERTURB_(?:\w*_)?KEY$/;

/** Other linters' names for the levels. */
const LEVEL_WORDS = {
  ...{ warning: 'warn', info: 'warn', on: 'warn', fatal: 'error', deny: 'error' },
  ...{ none: 'off', ignore: 'off', disable: 'off', disabled: 'off', allow: 'off', never: 'off' },
} as const;

/** The format of commands, each a program with its arguments. */
const commands = array(array(string(), { nonEmpty: 'name a program' }));

/** The format of `perturb.toml`. */
export const configFormat = table({
  lint: {
    description: 'Settings for checking objectives.',
    format: table({
      include: {
        format: array(string({ nonEmpty: true })),
        description:
          'Globs of the objective files, relative to the directory of perturb.toml. Without a path, commands use these globs instead of searching for *.objective.toml.',
        example: ['objectives/**/*.toml'],
      },
      exclude: {
        format: array(string({ nonEmpty: true })),
        description: 'Globs of files and directories to skip, unless named on the command line.',
        example: ['objectives/drafts/**'],
      },
      mutators: {
        format: array(string({ nonEmpty: true })),
        description:
          'Catalogs for checking objectives: manifests, saved listings, and server URLs or names.',
        example: ['bench/mutators.toml', 'http://127.0.0.1:8080'],
      },
      sessions: {
        format: array(string({ nonEmpty: true })),
        description:
          'Recorded sessions for checking objectives, as for --sessions: files, directories and globs. Missing files are skipped.',
        example: ['recordings', '.perturb/runs'],
      },
      baseline: {
        format: string({ nonEmpty: true }),
        description:
          'A baseline file, as for --baseline. Findings in the baseline are not reported.',
        example: 'perturb-baseline.json',
      },
      rules: {
        format: map(enumOf(LEVELS, LEVEL_WORDS)),
        description: 'Levels by rule id, or by group, such as "expression/*".',
      },
    }),
  },
  language: {
    description: 'The language of trace expressions.',
    format: table({
      extensions: {
        format: enumOrBoolean(['allow', 'warn', 'error']),
        description:
          'Treatment of language extensions that other evaluators may not support: "allow" (default) accepts them, "warn" reports warnings, "error" reports errors. true means "allow", false means "error".',
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
          description: "The API's URL, including the base path.",
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
      'Sets of servers by name, for --bench. Attempts run on several benches in parallel.',
    format: map(
      table({
        servers: {
          format: array(string({ nonEmpty: true })),
          required: true,
          description: "URLs or names of the bench's servers, in the same order for each bench.",
          example: ['bench-a'],
        },
        env: {
          format: map(string()),
          description:
            "Environment variables for the bench's commands, in addition to PERTURB_BENCH, which contains the bench's name.",
        },
      }),
    ),
  },
  measure: {
    description: 'Settings for measuring objectives.',
    format: table({
      vacuous: {
        format: enumOf(['allow', 'fail']),
        description:
          'Treatment of a measurement that is vacuous in all sessions: "allow" reports the measurement, "fail" also fails it, like --fail-vacuous.',
        example: 'fail',
      },
    }),
  },
  recorded: {
    description: 'Expectations about the recorded sessions.',
    format: table({
      expected: {
        format: array(string({ nonEmpty: true })),
        description:
          'Event, probe and attribute names, and texts, that are optional in passing sessions. A pattern or comparison with an optional name or text is not vacuous if it matches nothing, and lint does not report the name or text as missing from the recordings.',
        example: ['CRASH', 'error.code'],
      },
    }),
  },
  reading: {
    description:
      'Settings for reading evidence, with one table for each kind of file. The table\'s settings override settings detected from the content. Commands and runs use the table whose "files" match the file name, or the table named by --reading.',
    format: map(
      table({
        files: {
          format: array(string({ nonEmpty: true }), {
            nonEmpty: 'Write at least one glob, such as "*.log".',
          }),
          required: true,
          description:
            "Globs of the table's files, as in a .gitignore. A name matches in every directory; a path is relative to the directory of perturb.toml. A file must not match two tables.",
          example: ['*.log'],
        },
        from: {
          format: enumOf(FORMATS),
          description: 'The file format (default: detected from the content).',
          example: 'syslog',
        },
        map: {
          format: string({ nonEmpty: true }),
          description:
            "Paths of an event's fields in a JSON object or a table row: name, probe, time, seq and timeline. Any other key is an attribute.",
          example: 'name=$.msg,probe=$.service,time=$.ts',
        },
        pattern: {
          format: string({ nonEmpty: true }),
          description:
            'A regular expression for a line, with a group `name` and optional groups `probe` and `time`; for vector clocks, with the groups `host`, `clock` and `event`.',
          example: '^(?<time>\\S+) (?<probe>\\w+): (?<name>.*)$',
        },
        send: {
          format: string({ nonEmpty: true }),
          description: 'Path of the message key in a send event.',
          example: '$.id',
        },
        receive: {
          format: string({ nonEmpty: true }),
          description: 'Path of the message key in a receive event.',
          example: '$.id',
        },
        probe: {
          format: array(string({ nonEmpty: true })),
          description:
            "Span attributes for the probe's name, in order of preference (fallback: service.name).",
          example: ['k8s.pod.name', 'service.name'],
        },
        order: {
          format: enumOf(SESSION_ORDERS),
          description: 'The order of events, as for --order.',
          default: 'auto',
        },
        skew: {
          format: string({ nonEmpty: true }),
          description: "Maximum difference between the recorders' clocks, as a duration.",
          example: '5ms',
        },
        zone: {
          format: string({ nonEmpty: true }),
          description: 'The time zone of times without a zone (default UTC): an offset or a name.',
          example: 'Europe/Berlin',
        },
        dates: {
          format: enumOf(DATE_ORDERS),
          description: 'The order of day, month and year in dates such as 05/06/2026.',
          example: 'dmy',
        },
        unit: {
          format: enumOf(TIME_UNITS),
          description: 'The unit of numeric times.',
          example: 'ms',
        },
        epoch: {
          format: enumOf(EPOCHS),
          description:
            'The epoch of numeric times: 1970, 1900 as in spreadsheets, or the start of the recording.',
          example: 'start',
        },
        join: {
          format: array(string({ nonEmpty: true })),
          description: 'Columns or keys to join into the time, in this order.',
          example: ['Date', 'Time'],
        },
        clock: {
          format: string({ nonEmpty: true }),
          description:
            'The clock to use in recordings with several clocks, such as MCAP: "publish", or the messages\' time field (default: the recorder\'s clock).',
          example: 'publish',
        },
      }),
    ),
  },
  run: {
    description: 'Settings for running objectives.',
    format: table({
      servers: {
        format: array(string({ nonEmpty: true })),
        description: 'URLs or names of the mutator servers to use (default: all of [servers]).',
        example: ['bench'],
      },
      timeout: {
        format: string({ nonEmpty: true }),
        description:
          'Timeout for each request (default 10s), as a duration. A mutation whose timeout in the manifest is longer gets more time.',
        example: '10s',
      },
      attempt_time: {
        format: string({ nonEmpty: true }),
        description:
          'Maximum duration of an attempt. The attempt ends earlier if its command exits.',
        example: '30s',
      },
      command_status: {
        format: enumOf(['judge', 'ignore']),
        description:
          'Treatment of the command\'s exit status: "judge" fails an attempt whose command exits with a status other than 0 or 125; "ignore" ignores the exit status.',
        example: 'ignore',
      },
      recovery: {
        format: string({ nonEmpty: true }),
        description:
          'An expression that is true once the system has recovered. At the end of an attempt, Perturb resets the mutations while the command continues. The expression must then become true of the following events.',
        example: "MATCH (name = 'READY') AS ready",
      },
      recovery_time: {
        format: string({ nonEmpty: true }),
        description: 'Timeout for the recovery (default 30s), as a duration.',
        example: '30s',
      },
      serve: {
        format: string({ nonEmpty: true }),
        description:
          'A manifest, relative to perturb.toml, to serve during a run if no servers are specified. The run starts and stops the server.',
        example: 'mutators.toml',
      },
      setup: {
        format: commands,
        description:
          'Commands to run before each attempt, while no mutation is active. If a command fails, the attempt is inconclusive.',
        example: [['./reset-database.sh']],
      },
      setup_time: {
        format: string({ nonEmpty: true }),
        description: 'Timeout for each setup command (default 1min), as a duration.',
        example: '1min',
      },
      teardown: {
        format: commands,
        description:
          'Commands to run after each attempt, even an interrupted one, while no mutation is active. If a command fails, the run ends.',
        example: [['docker', 'compose', 'down']],
      },
      teardown_time: {
        format: string({ nonEmpty: true }),
        description: 'Timeout for each teardown command (default 1min), as a duration.',
        example: '1min',
      },
      ready: {
        format: stringOrStrings,
        description:
          'A check that the system is ready, before the first injection: an expression that must become true of the events so far, or a command that must exit with status 0.',
        example: ['curl', '--fail', 'http://127.0.0.1:8000/health'],
      },
      ready_time: {
        format: string({ nonEmpty: true }),
        description:
          'Timeout for the ready check (default 30s), as a duration. After the timeout, the attempt is inconclusive.',
        example: '30s',
      },
      collect: {
        format: commands,
        description:
          "Commands that run at the end of an attempt, after all resets. Each command's output, or the file whose path it prints, is evidence in any format that session import supports.",
        example: [['kubectl', 'logs', 'deploy/shop', '--since=5m']],
      },
      collect_time: {
        format: string({ nonEmpty: true }),
        description: 'Timeout for each collect command (default 1min), as a duration.',
        example: '1min',
      },
      timing: {
        format: timingFormat,
        description:
          'The onset and duration of mutations, planned like parameter values. A table [run.timing.NAME] overrides both for one mutator, NAME or "NAME@PROBE".',
      },
      tolerant: {
        format: boolean,
        description:
          'Judge an attempt even if some lines of its session are not events. By default, such an attempt is inconclusive.',
        example: true,
      },
    }),
  },
  guard: {
    description: 'A condition that ends an attempt at once.',
    format: table({
      check: {
        format: string({ nonEmpty: true }),
        required: true,
        description:
          'An expression evaluated during each attempt. When the expression becomes true, Perturb resets all mutators and ends the attempt as guarded.',
        example: "MATCH (name = 'BATTERY_LOW') AS low",
      },
    }),
  },
  polls: {
    description:
      "Polls of the system by name, active before, during and after a run's faults. Each poll records its events at a probe with the poll's name.",
    format: map(pollFormat),
  },
  store: {
    description: 'The store of registered objectives.',
    format: table({
      url: {
        format: string({ nonEmpty: true }),
        description: 'A SQLite file as sqlite:PATH, or a PostgreSQL URL without a password.',
        example: 'sqlite:.perturb/objectives.db',
      },
    }),
  },
});
