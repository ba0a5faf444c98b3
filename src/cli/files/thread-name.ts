/** What a thread that checks files is started with, in place of a command. */
export const LINT_THREAD = 'lint-thread';
