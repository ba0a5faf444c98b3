/** The header that carries a client's key. */
export const KEY_HEADER = 'mutator_apikey';

/** Whether the header can carry a key without change: printable ASCII, no space at either end. */
export function isApiKey(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}
