import { ACTUATOR_KINDS, type ActuatorKind, formatOfKind } from '../../actuators/index.js';
import { type Entries, enumOf, type Format, table } from '../../toml/index.js';
import { manifestFormat } from './format.js';

/** What each kind of actuator does, in a sentence. */
export const ACTUATOR_SUMMARIES = Object.fromEntries(
  ACTUATOR_KINDS.map((kind) => [kind, formatOfKind(kind).keys.kind.description]),
) as Readonly<Record<ActuatorKind, string>>;

const kindEntry = {
  format: enumOf(ACTUATOR_KINDS),
  required: true,
  description: ACTUATOR_KINDS.map((kind) => `\`${kind}\`: ${ACTUATOR_SUMMARIES[kind]}`).join(' '),
} as const;

const formats = new Map(
  [...ACTUATOR_KINDS, undefined].map((kind) => [kind, manifestWith(kind)] as const),
);

function manifestWith(kind: ActuatorKind | undefined): Format {
  const kinds = kind === undefined ? ACTUATOR_KINDS : [kind];
  const keys = kinds.map((one): Entries => formatOfKind(one).keys);
  return manifestFormat(table({ ...(Object.assign({}, ...keys) as Entries), kind: kindEntry }));
}

/**
 * What an editor offers in a manifest, where an actuator is of a kind; of any other word, or of
 * none, it may have the keys of every kind.
 */
export function manifestFormatFor(kind: string | undefined): Format {
  const known = ACTUATOR_KINDS.find((one) => one === kind);
  return formats.get(known) as Format;
}
