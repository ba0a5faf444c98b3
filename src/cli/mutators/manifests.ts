import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { parseAddress, plural } from '../../basics/index.js';
import { arrange, quote, suggest } from '../../diagnostics/index.js';
import { idFor, loadManifest, type ManifestProcess, manifestRules } from '../../mutators/index.js';
import { reporters } from '../../reporters/index.js';
import { decodeSource } from '../../source/index.js';
import { tomlRules } from '../../toml/index.js';
import { version } from '../../version.js';
import { findUpwards } from '../config/config.js';
import { checkEach, fixOptions, ioForReports, refuseContradictions } from '../files/check-files.js';
import { discover, MANIFEST, manifestFiles } from '../files/discover.js';
import { refuseToReplace, report, reportOptions } from '../files/report.js';
import { writeNamedFile } from '../files/write-file.js';
import { defineCommand, exitCodes, usageFailure } from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { readNamedFile } from '../runtime/io.js';
import { flagOf, stdinFilenameOption } from '../runtime/options.js';

/* The commands that check manifests and add ready-made mutators to them. */

export const lintManifests = defineCommand({
  help: `
In a directory, checks mutators.toml and *.mutators.toml, except git-ignored
files.
Exit codes: 0 nothing at error level, 1 errors found, 2 invalid usage.

Examples:
  perturb mutators lint bench/mutators.toml
  perturb mutators lint --format github --format sarif=manifests.sarif
  perturb mutators lint --fix bench/
`,
  args: [
    argument(
      '[paths...]',
      'files, directories, globs, or - for stdin',
      ['.'],
      'the working directory',
    ),
  ],
  options: [...reportOptions, ...fixOptions, stdinFilenameOption],
  async run({ io, color }, [paths], flags) {
    refuseContradictions(flags);
    const { files, problems } = await discover(paths, io.cwd, manifestFiles);
    refuseToReplace(io.cwd, flags.format, files);
    const checked = await checkEach(io, files, flags, (decoded) => loadManifest(decoded).findings);
    return report(ioForReports(io, flags, paths), color, flags, {
      ...checked,
      findings: arrange(checked.findings),
      rules: [...tomlRules, ...manifestRules],
      unread: [...problems, ...checked.unread],
    });
  },
});

/** A placeholder in a template, filled with an option's value. */
interface Blank {
  readonly example: string;
  readonly write: (value: string) => string;
  /** The value if the option is omitted. Without it, the option is required. */
  readonly otherwise?: string;
}

interface Kind {
  readonly blanks: Readonly<Record<string, Blank>>;
  /** The options of which at least one is required; with `only`, exactly one. */
  readonly choice?: { readonly of: readonly string[]; readonly only: boolean };
  /** Returns true if the options select this mutator of the template (default: all). */
  readonly keeps?: (mutator: string, flags: Flags) => boolean;
  /** Returns the names of parameters that are useless with these options. */
  readonly omits?: (flags: Flags) => readonly string[];
  /** Returns the prefix of the ids if `--name` is omitted (default: the kind). */
  readonly idFrom?: (flags: Flags) => string;
}

type Flags = Readonly<Record<string, string | undefined>>;

const blank = (example: string): Blank => ({ example, write: (value) => value });
/** Returns the placeholder for a script's argument `key=VALUE`. The value may be empty. */
const setting = (key: string, example: string): Blank => ({
  example: `${key}=${example}`,
  write: (value) => `${key}=${value}`,
  otherwise: `${key}=`,
});
const PROCESS: Kind = {
  blanks: {
    pidFile: setting('pid-file', 'service.pid'),
    group: setting('group', 'service.pid'),
    unit: setting('unit', 'service.service'),
  },
  choice: { of: ['pidFile', 'group', 'unit'], only: true },
};
const NAMESPACE = { namespace: setting('namespace', 'bench') };
const FLOAT = 'type = "float"\nhard_range = [0.0, 40.0]\nleast_effect = 0.0';

/** The options by kind. A kind is a folder in examples/mutators with a manifest template. */
export const MUTATOR_KINDS: Readonly<Record<string, Kind>> = {
  key: {
    // A manifest may contain many mutators of this kind, so their ids begin with the key.
    idFrom: ({ key = 'key' }) => idFor(key),
    blanks: {
      file: blank('service.json'),
      key: {
        example: '"wind", "speed"',
        write(value) {
          const keys = value.split('.');
          if (!keys.includes('')) return keys.map(quote).join(', ');
          throw usageFailure(`--key ${value}: expected keys separated by dots, as in wind.speed`);
        },
      },
      range: { example: FLOAT, write: numbers },
      values: {
        example: FLOAT,
        write(value) {
          const options = value.split(',').map((one) => quote(one.trim()));
          return `type = "enum"\noptions = [${options.join(', ')}]\nleast_effect = ${options[0]}`;
        },
      },
    },
  },
  proxy: {
    blanks: {
      listen: blank('127.0.0.1:7001'),
      upstream: blank('127.0.0.1:7000'),
      mode: {
        example: ', "http"]',
        write: (value) => (value === 'http' ? ', "http"]' : ']'),
        otherwise: ']',
      },
    },
    keeps: (mutator, { mode }) => mode === 'http' || !mutator.includes('"http"]'),
  },
  pause: PROCESS,
  kill: {
    ...PROCESS,
    blanks: {
      ...PROCESS.blanks,
      command: setting('command', './service.sh'),
      ready: setting('ready', '127.0.0.1:5432'),
    },
  },
  netem: { blanks: { interface: blank('eth0'), ...NAMESPACE } },
  partition: {
    blanks: {
      address: setting('address', '192.0.2.1'),
      port: setting('port', '5432'),
      ...NAMESPACE,
    },
    choice: { of: ['address', 'port'], only: false },
  },
  stress: { blanks: {} },
  disk: { blanks: { path: blank('/mnt/data') } },
  clock: { blanks: { file: blank('clock.faketime') } },
  container: {
    idFrom: ({ service, label }) => idFor(service ?? label?.split('=').at(-1) ?? ''),
    omits: ({ name }) => (name === undefined ? [] : ['replicas']),
    blanks: {
      engine: { ...blank('docker'), otherwise: 'docker' },
      name: setting('name', 'web'),
      label: setting('label', 'app=web'),
      service: setting('service', 'web'),
      network: setting('network', 'front'),
    },
    choice: { of: ['name', 'label', 'service'], only: true },
  },
};

interface Taken {
  readonly is: (text: string) => boolean;
  readonly says: string;
}

const TEXT: Taken = {
  is: (text) => text !== '' && !/[\p{Cc}"\\]/u.test(text),
  says: 'a text without quotes, backslashes or line breaks',
};
const isPort = (text = '') => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
const ENDPOINT: Taken = {
  is: (text) => /^(?:\[[\da-f:.]+\]|[\w.-]+):\d+$/i.test(text) && parseAddress(text) !== undefined,
  says: 'HOST:PORT, as in 127.0.0.1:7001',
};
const NAME: Taken = {
  is: (text) => /^[\w@][\w.@:-]*$/.test(text),
  says: 'one name, without wildcards',
};
const HOST: Taken = {
  is: (text) => isIP(text) !== 0 && !/^[0:.]+$/.test(text),
  says: 'the IP address of one host, as in 192.0.2.1',
};
const ID: Taken = {
  is: (text) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(text),
  says: 'letters, digits, ., - and _',
};
const LABEL: Taken = {
  is: (text) => /^[\w][\w./-]*=[^\p{Cc}"\\]+$/u.test(text),
  says: 'KEY=VALUE',
};
const SERVICE: Taken = {
  is: (text) => /^[\w][\w.-]*(\/[\w][\w.-]*)?$/.test(text),
  says: 'SERVICE, or PROJECT/SERVICE',
};
const MODE: Taken = { is: (text) => text === 'tcp' || text === 'http', says: 'tcp or http' };
const PORT: Taken = { is: isPort, says: 'a port from 1 to 65535' };

const FILLING = [
  filling('--file <path>', 'key: the file to change; clock: the file that libfaketime reads'),
  filling('--key <keys>', 'key: path of the value in the file, as in wind.speed'),
  filling('--range <range>', 'key: the range of a number, as in 0..40; its start disturbs least'),
  filling(
    '--values <values>',
    'key: a list of values instead of a range, as in on,off; the first disturbs least',
  ),
  filling(
    '--listen <address>',
    'proxy: listening address for clients, as in 127.0.0.1:7001',
    ENDPOINT,
  ),
  filling('--upstream <address>', 'proxy: address of the service', ENDPOINT),
  filling('--mode <mode>', 'proxy: tcp (default), or http, which adds HTTP faults', MODE),
  filling('--pid-file <path>', 'pause, kill: a file with the pid of the process'),
  filling('--group <path>', "pause, kill: a file with a pid; acts on the process's whole group"),
  filling('--unit <unit>', 'pause, kill: a systemd unit', NAME),
  filling('--command <command>', 'kill: the command that restarts the process'),
  filling(
    '--ready <ready>',
    'kill: HOST:PORT, URL or command that succeeds once the process is ready (default: after running for a second)',
  ),
  filling('--interface <interface>', 'netem: the network interface', NAME),
  filling('--address <address>', 'partition: the address of a host', HOST),
  filling('--port <port>', 'partition: a port on the --address host, or on any host', PORT),
  filling('--path <path>', 'disk: a directory in the file system to fill'),
  filling(
    '--namespace <name>',
    'netem, partition: a network namespace instead of the current one',
    NAME,
  ),
  option('--engine <engine>', 'container: the container engine (default: docker)', {
    choices: ['docker', 'podman'],
  }),
  filling('--label <label>', 'container: a label of the containers, as in app=web', LABEL),
  filling('--service <service>', 'container: a Compose service, or PROJECT/SERVICE', SERVICE),
  filling('--network <network>', 'container: the network to cut off (default: all)', NAME),
] as const;

/** Returns an option parser that accepts only valid values. */
function only({ is, says }: Taken) {
  return (text: string) => {
    if (is(text)) return text;
    throw new InvalidArgumentError(`Expected ${says}.`);
  };
}

/** Declares an option whose value fills a template placeholder. */
function filling<const Text extends string>(text: Text, description: string, taken = TEXT) {
  return option(text, description, { read: only(taken) });
}

/**
 * Returns the parameter for numbers within `LOW..HIGH`: a float if either bound has a decimal
 * point.
 */
function numbers(range: string): string {
  const [, low = '', high = ''] = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/.exec(range) ?? [];
  if (low === '') throw usageFailure(`--range ${range}: expected two numbers, as in 0..40`);
  const isFloat = range.replace('..', ' ').includes('.');
  const write = (one: string) => (isFloat && !one.includes('.') ? `${one}.0` : one);
  const type = isFloat ? 'float' : 'integer';
  return `type = "${type}"\nhard_range = [${write(low)}, ${write(high)}]\nleast_effect = ${write(low)}`;
}

export const newMutators = defineCommand({
  help: `
Creates a manifest or adds to an existing one, and copies the required scripts
next to it. Existing mutators and files are never changed.
Exit codes: 0 written, 1 the manifest has errors, 2 invalid usage.

Examples:
  perturb mutators new key --file service.json --key wind.speed --range 0.0..40.0
  perturb mutators new proxy --listen 127.0.0.1:7001 --upstream 127.0.0.1:7000
  perturb mutators new container --engine podman --name web
`,
  args: [argument('<kind>', `kind of mutator: ${Object.keys(MUTATOR_KINDS).join(', ')}`)],
  options: [
    ...FILLING,
    option(
      '--name <name>',
      "container: the container's name; other kinds: the prefix of the ids (default: the kind)",
      {
        read: only(ID),
      },
    ),
    option('--manifest <path>', 'the manifest to write or add to, - for stdout', {
      byDefault: MANIFEST,
    }),
  ],
  async run({ io }, [kind], flags) {
    const found = Object.hasOwn(MUTATOR_KINDS, kind) ? MUTATOR_KINDS[kind] : undefined;
    if (found === undefined) {
      const help = suggest(kind, Object.keys(MUTATOR_KINDS));
      throw usageFailure(`unknown kind ${quote(kind)}`, help);
    }
    const template = readFileSync(shipped(`${kind}/${MANIFEST}`), 'utf8');
    const added = fillIn(kind, found, template, flags);
    const isShown = flags.manifest === '-';
    const path = resolve(io.cwd, flags.manifest);
    const isThere = !isShown && existsSync(path);
    const bytes = below(isThere ? readNamedFile(io, flags.manifest) : Buffer.alloc(0), added);
    const { findings } = loadManifest(decodeSource(isShown ? MANIFEST : flags.manifest, bytes));
    if (findings.some(({ severity }) => severity === 'error')) {
      const rules = [...tomlRules, ...manifestRules];
      io.stderr.write(reporters.compact({ findings, fileCount: 1, rules, version }));
      io.stderr.write('perturb: nothing was written, because the manifest would have errors\n');
      return exitCodes.findings;
    }
    if (isShown) {
      io.stdout.write(added);
      return exitCodes.ok;
    }
    if (!existsSync(dirname(path))) {
      throw usageFailure(`there is no directory ${dirname(flags.manifest)} for the manifest`);
    }
    const said = copyScripts(added, io.cwd, dirname(flags.manifest));
    writeNamedFile(io.cwd, flags.manifest, bytes);
    const names = [...added.matchAll(/^\[\[mutator\]\]\nname = "(.*)"$/gm)].map(([, name]) => name);
    const verb = isThere ? 'added to' : 'wrote';
    io.stdout.write(`${verb} ${flags.manifest}: ${plural(names.length, 'mutator')}\n`);
    for (const name of names) io.stdout.write(`  ${name}\n`);
    io.stdout.write(said);
    for (const { command } of processesOf(added)) {
      io.stdout.write(`the server starts: ${command.join(' ')}\n`);
    }
    for (const [, first] of added.matchAll(/^# First: (.*)$/gm)) {
      io.stdout.write(
        `before you serve the mutators: ${inDirectory(dirname(flags.manifest))}${first}\n`,
      );
    }
    return exitCodes.ok;
  },
});

/** Returns the processes that a manifest requires. */
export function processesOf(manifest: string): readonly ManifestProcess[] {
  const decoded = decodeSource(MANIFEST, Buffer.from(manifest));
  return loadManifest(decoded).manifest?.processes ?? [];
}

/** Returns the prefix that makes a command line run in a directory. */
function inDirectory(directory: string): string {
  if (directory === '.') return '';
  const isPlain = /^[\w./][\w./-]*$/.test(directory);
  return `cd ${isPlain ? directory : `'${directory.replaceAll("'", "'\\''")}'`} && `;
}

/** Returns the installed path of a script for ready-made mutators. */
export const shippedScript = (name: string): string =>
  findUpwards(import.meta.dirname, `dist/ready-made/${name}`) ?? shipped(`scripts/${name}`);

/** Returns the installed path of a file in examples/mutators. */
function shipped(file: string): string {
  const name = `examples/mutators/${file}`;
  const path = findUpwards(import.meta.dirname, name);
  if (path === undefined) throw new Error(`the installed package has no ${name}`);
  return path;
}

/** Appends a text to a manifest's bytes, with the manifest's line endings. */
function below(before: Buffer, added: string): Buffer {
  if (before.length === 0) return Buffer.from(added);
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const last = before.toString('latin1');
  const gap = last.endsWith(end + end) ? '' : last.endsWith(end) ? end : end + end;
  return Buffer.concat([before, Buffer.from((gap + added).replaceAll(/\r?\n/g, end))]);
}

/** Replaces a template's placeholders with the options' values and the mutators' name. */
function fillIn(
  kind: string,
  { blanks, choice, keeps = () => true, omits = () => [], idFrom = () => kind }: Kind,
  template: string,
  flags: Flags,
): string {
  const given = Object.keys(flags).filter((key) => key !== 'manifest' && key !== 'name');
  const foreign = given.find((key) => blanks[key] === undefined);
  if (foreign !== undefined) {
    const own = Object.keys(blanks).map(flagOf).join(', ') || 'none';
    throw usageFailure(`${kind} has no option ${flagOf(foreign)}`, `Its options: ${own}.`);
  }
  const chosen = choice?.of.filter((key) => flags[key] !== undefined) ?? [];
  if (choice !== undefined && (chosen.length === 0 || (choice.only && chosen.length > 1))) {
    const words = choice.of.map(flagOf).join(' or ');
    throw usageFailure(`${kind} ${choice.only ? 'needs one of' : 'needs'} ${words}`);
  }
  const filled = new Map<string, string>();
  for (const { example, otherwise } of Object.values(blanks)) {
    const alike = Object.keys(blanks).filter((key) => blanks[key]?.example === example);
    const [key, second] = alike.filter((one) => flags[one] !== undefined);
    const choice = alike.map(flagOf).join(' or ');
    if (second !== undefined) throw usageFailure(`${kind} accepts only one of ${choice}`);
    if (key === undefined && otherwise === undefined) throw usageFailure(`${kind} needs ${choice}`);
    const value = key === undefined ? otherwise : blanks[key]?.write(flags[key] ?? '');
    filled.set(example, value ?? '');
  }
  const name = flags['name'] ?? idFrom(flags);
  const id = `(?<="| run )${kind}(?="|-| )`;
  const examples = [...filled.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const [head = '', ...mutators] = template.split(/^(?=\[\[mutator\]\])/m);
  const kept = [head, ...mutators.filter((mutator) => keeps(mutator, flags))]
    .join('')
    .replaceAll(/^\[\[mutator\.param\]\]\nname = "(.*)"\n(?:.+\n)*\n/gm, (param, its: string) =>
      omits(flags).includes(its) ? '' : param,
    );
  return `${kept.trimEnd()}\n`.replaceAll(
    new RegExp([...examples, id].join('|'), 'g'),
    (found) => filled.get(found) ?? name,
  );
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Copies the scripts that a manifest runs. Returns one line for the user about each copy.
 *
 * @throws CommandFailure (usage) before copying, if a different script has the same name
 */
function copyScripts(manifest: string, cwd: string, to: string): string {
  const names = new Set([...manifest.matchAll(/"(\w+\.mjs)"/g)].map(([, name = '']) => name));
  const copies: (readonly [name: string, source: Buffer])[] = [];
  for (const name of names) {
    const source = readFileSync(shippedScript(name));
    for (const [, more = ''] of source.toString().matchAll(/from '\.\/(\w+\.mjs)'/g))
      names.add(more);
    const path = resolve(cwd, to, name);
    const there = existsSync(path) ? readFileSync(path) : undefined;
    if (there?.equals(source)) continue;
    if (there !== undefined) {
      const help = 'Move it away, or write the manifest into another directory with --manifest.';
      throw usageFailure(`${join(to, name)} exists and is from another version`, help);
    }
    copies.push([name, source]);
  }
  for (const [name, source] of copies) writeNamedFile(cwd, join(to, name), source);
  return copies.map(([name]) => `copied ${join(to, name)}\n`).join('');
}
