import { anyScalar, array, boolean, enumOf, map, string, table } from '../../../toml/index.js';
import { durationHint } from '../../../values/index.js';
import { DEFAULT_TIMEOUT, FILE_FORMATS, HTTP_METHODS } from './actuator.js';

const timeout = {
  format: string({ hint: durationHint }),
  default: DEFAULT_TIMEOUT.text,
  description: 'How long an injection and a reset may take each, as a duration.',
} as const;

const request = table({
  method: {
    format: enumOf(HTTP_METHODS),
    default: 'POST',
    description: 'The HTTP method.',
  },
  url: {
    format: string({ nonEmpty: true }),
    required: true,
    description:
      'Where the request goes: http or https. Placeholders are percent-encoded; they can stand in the path and after it.',
    example: 'http://127.0.0.1:9000/wind/{speed}',
  },
  headers: {
    format: map(string()),
    description:
      'Headers of the request. `{env:NAME}` in a value stands for an environment variable, so that secrets stay out of the file.',
  },
  body: {
    format: string(),
    description:
      'The JSON text of the body. A string in it that is one placeholder, such as `"{speed}"`, becomes the value of the parameter with its type.',
    example: '{"speed": "{speed}"}',
  },
});

const path = (what: string, example: string) =>
  ({
    format: string({ nonEmpty: true }),
    required: true,
    description: `${what}, relative to the manifest's directory.`,
    example,
  }) as const;

const kind = <const Kind extends string>(name: Kind, does: string) =>
  ({ format: enumOf([name]), required: true, description: does, example: name }) as const;

const environment = (whom: string) =>
  ({
    format: map(string()),
    description: `Environment variables for ${whom}, beside those that Perturb itself has. \`{env:NAME}\` in a value stands for one of those: keys and tokens of the server are passed on only in this way.`,
  }) as const;

/** Runs commands. */
const execFormat = table({
  kind: kind('exec', 'Runs commands, without a shell.'),
  inject: {
    format: array(string()),
    required: true,
    description:
      'The command that injects, and its arguments. `{NAME}` in an argument stands for the value of a parameter.',
    example: ['./wind.sh', 'set', '{speed}'],
  },
  reset: {
    format: array(string()),
    required: true,
    description: 'The command that resets, and its arguments.',
    example: ['./wind.sh', 'clear'],
  },
  timeout,
  cwd: {
    format: string({ nonEmpty: true }),
    description: "The working directory of the commands, relative to the manifest's, its default.",
  },
  env: environment('the commands'),
});

/** Sends HTTP requests. */
const httpFormat = table({
  kind: kind('http', "Sends requests to the system's own control endpoint."),
  inject: { format: request, required: true, description: 'The request that injects.' },
  reset: { format: request, required: true, description: 'The request that resets.' },
  timeout,
});

/** Writes into a file. */
const fileFormat = table({
  kind: kind('file', 'Writes into a file, and puts it back on reset.'),
  path: path('The file', 'config/wind.json'),
  template: {
    format: string(),
    description:
      'The whole text of the file. `{NAME}` stands for the value of a parameter, `{{NAME}}` for `{NAME}` itself. Excludes `key`.',
  },
  format: {
    format: enumOf(FILE_FORMATS),
    description: "What the file is, for `key`; by default what its name's ending says.",
  },
  key: {
    format: array(string()),
    description: 'The keys that lead to the value to write, from the root of the file.',
    example: ['wind', 'speed'],
  },
  value: {
    format: anyScalar,
    description:
      'The value to write at `key`. A string that is one placeholder becomes the value of the parameter with its type.',
    example: '{speed}',
  },
  in_place: {
    format: boolean,
    default: false,
    description:
      'Whether to write into the file that is there, instead of replacing it: for one with hard links, or a mount of its own. A reader may then see half of a change.',
  },
});

/** Calls an ES module. */
const moduleFormat = table({
  kind: kind('module', 'Calls `inject(mutation, params)` and `reset()` of an ES module.'),
  path: path('The module', './wind.js'),
  timeout,
  env: environment('the module'),
});

/** What `[mutator.actuator]` may hold, by its `kind`. */
export const actuatorFormats = {
  exec: execFormat,
  http: httpFormat,
  file: fileFormat,
  module: moduleFormat,
} as const;
