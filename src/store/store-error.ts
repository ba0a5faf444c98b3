/** What can be wrong with a store. */
export type StoreErrorCode =
  | 'bad-url'
  | 'missing'
  | 'foreign'
  | 'corrupt'
  | 'newer'
  | 'denied'
  | 'full'
  | 'busy'
  | 'unreachable'
  | 'unauthorized'
  | 'timeout'
  | 'failed';

/** Why a store cannot be used, on one line that says what to do; it never holds a password. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}
