import { type Address, parseAddress } from '../../basics/index.js';
import { quote, type ReportFn } from '../../diagnostics/index.js';
import {
  boolean,
  type ConformingValues,
  integer,
  requireValue,
  string,
  type TomlDocument,
  table,
} from '../../toml/index.js';
import { durationHint, toMs } from '../../values/index.js';
import { checkCommand, commandFormat, commandSites } from '../exec/format.js';
import {
  checkDuration,
  missingKeyViolation,
  type PlaceholderSite,
  textsOf,
} from '../format-parts.js';
import {
  checkRequest,
  type HttpRequest,
  readRequest,
  requestFormat,
  requestSites,
  requestTexts,
} from '../http/format.js';
import type { Placeholders } from '../template.js';

/** Checks that verify a mutator's effect on the system. */
export interface EffectVerification {
  readonly injected?: Check;
  /** The check after a reset, which contains no placeholder. */
  readonly reset?: Check;
  readonly placeholders: Placeholders;
}

/** A required property of the system. */
export interface Check {
  readonly probe: Probe;
  /** True if the probe's connection must be refused. */
  readonly isRefused: boolean;
  /** Minimum duration of the probe, in milliseconds. */
  readonly slowerThanMs?: number;
}

/** A probe with its success condition. */
export type Probe =
  | { readonly kind: 'command'; readonly vector: readonly string[]; readonly exit: number }
  /** Without a status, any 2xx status is a success. */
  | { readonly kind: 'request'; readonly request: HttpRequest; readonly status?: number }
  | { readonly kind: 'tcp'; readonly address: Address };

const check = table({
  command: {
    format: commandFormat,
    description:
      "A command, run in the manifest's directory, that must exit with status `exit`. For an injection, it receives the parameters like an inject command.",
    example: ['pg_isready', '-q'],
  },
  request: {
    format: requestFormat('GET'),
    description: 'A request whose response must have the status `status`.',
  },
  tcp: {
    format: string({ nonEmpty: true }),
    description: 'A host and port that must accept a connection.',
    example: '127.0.0.1:5432',
  },
  exit: {
    format: integer({ min: 0n, max: 255n }),
    default: 0,
    description: "The command's exit status.",
  },
  status: {
    format: integer({ min: 100n, max: 599n }),
    description: 'The response status (default: any from 200 to 299).',
    example: 503,
  },
  refused: {
    format: boolean,
    default: false,
    description: 'True if the connection must be refused instead.',
  },
  slower_than: {
    format: string({ hint: durationHint }),
    description: 'Minimum time that the probe must take, as a duration.',
    example: '200ms',
  },
});

export const verificationFormat = table(
  {
    injected: {
      format: check,
      description:
        'A check of the system after an injection. If it fails, the injection fails and is reset.',
    },
    reset: {
      format: check,
      description:
        'A check of the system after a reset. If it fails, the reset fails and is retried.',
    },
  },
  // People also write these keys in an actuator's table.
  { isApart: true },
);

export type VerificationDraft = ConformingValues<typeof verificationFormat>;
type CheckDraft = VerificationDraft['keys']['injected'];

/** Converts a valid table to checks. */
export function readVerification(
  { keys }: VerificationDraft,
  placeholders: Placeholders,
): EffectVerification {
  return {
    ...(keys.injected && { injected: readCheck(keys.injected) }),
    ...(keys.reset && { reset: readCheck(keys.reset) }),
    placeholders,
  };
}

function readCheck({ keys }: NonNullable<CheckDraft>): Check {
  const slowerThanMs = toMs(keys.slower_than);
  return {
    probe: readProbe(keys),
    isRefused: keys.refused ?? false,
    ...(slowerThanMs !== undefined && { slowerThanMs }),
  };
}

function readProbe(keys: NonNullable<CheckDraft>['keys']): Probe {
  const { command, request, status } = keys;
  if (command) return { kind: 'command', vector: textsOf(command), exit: Number(keys.exit ?? 0) };
  if (request) {
    const expectation = status !== undefined && { status: Number(status) };
    return { kind: 'request', request: readRequest(request, 'GET'), ...expectation };
  }
  return { kind: 'tcp', address: requireValue(parseAddress(requireValue(keys.tcp))) };
}

const PROBES = ['command', 'request', 'tcp'] as const;

/** Keys, with the probes to which they apply. */
const EXPECTATIONS = {
  exit: ['command'],
  status: ['request'],
  refused: ['request', 'tcp'],
} as const;

/** Reports checks without a probe. */
export function checkVerificationKeys(
  document: TomlDocument,
  draft: VerificationDraft,
  report: ReportFn,
) {
  for (const [name, check] of Object.entries(draft.keys)) {
    if (check === undefined || PROBES.some((key) => document.has([...check.path, key]))) continue;
    const help = `add a probe that verifies ${name === 'reset' ? 'a reset' : 'an injection'}: command, request or tcp`;
    report(missingKeyViolation(document, check.path, 'command', help));
  }
}

/** Reports invalid values of checks. */
export function checkVerificationValues(
  document: TomlDocument,
  draft: VerificationDraft,
  report: ReportFn,
) {
  for (const check of Object.values(draft.keys)) {
    if (check === undefined) continue;
    const { path, keys } = check;
    const has = (key: string) => document.has([...path, key]);
    const [firstProbe, secondProbe] = PROBES.filter(has);
    if (secondProbe !== undefined) {
      report({
        message: `a check must have only one of "command", "request" and "tcp", found ${quote(firstProbe ?? '')} and ${quote(secondProbe)}`,
        span: document.keySpan([...path, secondProbe]),
      });
    }
    for (const [key, requiredKeys] of Object.entries(EXPECTATIONS)) {
      if (!has(key) || firstProbe === undefined || requiredKeys.some(has)) continue;
      report({
        message: `${quote(key)} does not apply to ${quote(firstProbe)}`,
        help: `it applies to ${requiredKeys.map(quote).join(' and ')}`,
        span: document.keySpan([...path, key]),
      });
    }
    for (const key of ['status', 'slower_than']) {
      if (keys.refused !== true || !has(key)) continue;
      report({
        message: `${quote(key)} does not apply to a refused connection`,
        span: document.keySpan([...path, key]),
      });
    }
    if (keys.tcp !== undefined && parseAddress(keys.tcp) === undefined) {
      report({
        message: `${quote(keys.tcp)} is not HOST:PORT`,
        help: 'write a host and a port, such as "127.0.0.1:5432"',
        span: document.valueSpan([...path, 'tcp']),
      });
    }
    checkCommand(document, [...path, 'command'], keys.command, report);
    checkRequest(document, keys.request, report, 'GET');
    checkDuration(document, [...path, 'slower_than'], keys.slower_than, report);
  }
}

/** Returns the checks' texts that may contain placeholders. */
export function verificationSites({ keys }: VerificationDraft): readonly PlaceholderSite[] {
  return [
    ...(keys.injected ? sitesOfCheck(keys.injected, 'parameters') : []),
    ...(keys.reset ? sitesOfCheck(keys.reset, 'nothing') : []),
  ];
}

function sitesOfCheck(
  { path, keys }: NonNullable<CheckDraft>,
  takes: PlaceholderSite['takes'],
): PlaceholderSite[] {
  return [
    ...commandSites([...path, 'command'], keys.command, takes),
    ...requestSites(keys.request, takes),
  ];
}

/** Returns the checks' texts with environment variables, whose values may be secret. */
export function verificationTexts({ injected, reset }: EffectVerification): readonly string[] {
  return [injected, reset].flatMap((check) =>
    check?.probe.kind === 'request' ? requestTexts(check.probe.request) : [],
  );
}
