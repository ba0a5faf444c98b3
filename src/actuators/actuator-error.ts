import { exitCodes, PerturbError } from '../basics/index.js';

/** Codes of actuator failures. */
export type ActuatorErrorCode = keyof typeof MESSAGES;

/** Messages by code, with remedies that are not obvious. */
const MESSAGES = {
  aborted: ({ subject }) => `${subject} was interrupted`,
  'timed-out': ({ subject, detail }) => `${subject} took longer than ${detail}`,

  'not-started': ({ subject, detail }) => `${subject} cannot be started: ${detail}`,
  'exit-code': ({ subject, detail }) => `${subject} ended with ${detail}`,
  killed: ({ subject, detail }) => `${subject} was terminated by ${detail}`,

  'not-verified': ({ subject, detail }) => `${subject} cannot be verified: ${detail}`,

  'environment-missing': ({ subject, detail }) =>
    `${subject} needs the environment variable ${detail}, which is not set`,
  'bad-header': ({ subject }) =>
    `the header ${subject} has an invalid character in its value, such as a line break`,
  'bad-url': ({ subject, detail }) => `${subject} cannot be sent: ${detail}`,
  'no-answer': ({ subject, detail }) => `${subject} received no response: ${detail}`,
  redirected: ({ subject, detail }) =>
    `${subject} was redirected to ${detail}: redirects are not followed, so use the final URL`,
  status: ({ subject, detail }) => `${subject} received status ${detail}`,

  'no-file': ({ subject }) => `${subject} does not exist, so it has no key to set`,
  'not-a-file': ({ subject }) => `${subject} is not a regular file`,
  'too-large': ({ subject }) => `${subject} is larger than 64 MiB, the limit for file mutators`,
  'foreign-link': ({ subject, detail }) =>
    `a link owned by ${detail} leads to ${subject}, which belongs to another user: use the file's own path in the manifest, or have the server's user create the link`,
  'not-text': ({ subject, detail }) => `${subject} is not ${detail}`,
  'no-key': ({ subject, detail }) =>
    `${subject} has no ${detail}: only an existing value can be set and restored`,
  'bad-value': ({ subject, detail }) => `${subject}: ${detail}`,
  file: ({ subject, detail }) => `${subject}: ${detail}`,
  'same-file': ({ subject, detail }) =>
    `${subject} is the same file as ${detail}, which is mutated: use the same path in both mutators`,
  'hard-links': ({ subject, detail }) =>
    `${subject} has ${detail}, which would keep the old content: set in_place = true to write into the file, or use a file without hard links`,
  attributes: ({ subject, detail }) =>
    `the mode and extended attributes of ${subject} cannot be copied to a new file (${detail}): set in_place = true to write into the file`,
  'changed-meanwhile': ({ subject, detail }) =>
    `${subject} was changed after the mutation, so Perturb did not restore it: ${detail}; or forget the mutation with perturb mutators reset ID --forget`,
  'original-gone': ({ subject }) =>
    `the original of ${subject} is missing from the state directory: restore the file by hand, then reset again`,
  'not-named': ({ subject, detail }) =>
    `${subject} is recorded as mutated, but is not the file that the manifest names, so Perturb did not restore it: if the record is correct, restore ${subject} by hand from ${detail}`,

  damaged: ({ subject, detail }) =>
    `${subject} is damaged (${detail}): restore the mutated file by hand, then move the damaged file to another directory`,

  'not-loaded': ({ subject, detail }) => `${subject} cannot be loaded: ${detail}`,
  'no-function': ({ subject, detail }) => `${subject} does not export a function ${detail}`,
  threw: ({ subject, detail }) => `${subject} threw: ${detail}`,
} satisfies Readonly<Record<string, (about: Record<'subject' | 'detail', string>) => string>>;

/** The error for a failed actuator. The message is for the log, and contains no secrets. */
export class ActuatorError extends PerturbError<ActuatorErrorCode> {
  /** Time in milliseconds during which an unfinished action may still take effect; undefined if unknown. */
  readonly lateMs: number | undefined;

  /**
   * @param subject the subject of the message, in quotes if a user wrote it
   * @param detail the specific cause, included in the message
   */
  constructor(code: ActuatorErrorCode, subject: string, detail = '', lateMs?: number) {
    super(code, MESSAGES[code]({ subject, detail }), exitCodes.usage);
    this.lateMs = lateMs;
  }
}
