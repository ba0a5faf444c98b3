import { hold } from './target.js';

/** An answer of a server, as it stands in what a connection received. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [^\r\n]+\r\n((?:[^\r\n:]+: [^\r\n]*\r\n)*)\r\n/;

const NO_CHUNK = '0\r\n\r\n';

/**
 * The answers in what a connection received; they must be whole.
 *
 * @param method of the only request; where it is not known, an answer may be one to HEAD
 */
export function readAnswers(text: string, method?: string): HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const head = HEAD.exec(rest);
    hold(head !== null, 'what the server says is not HTTP');
    const lines = (head[2] as string).split('\r\n').slice(0, -1);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)] as const;
      }),
    );
    const status = Number(head[1]);
    const told = Number(headers.get('content-length') ?? 0);
    let start = head[0].length;
    if (headers.get('transfer-encoding') === 'chunked') {
      // So does Node itself end an answer without a body.
      hold(rest.startsWith(NO_CHUNK, start), 'an answer in chunks');
      start += NO_CHUNK.length;
    }
    const isBare = start === rest.length || rest.startsWith('HTTP/1.1 ', start);
    const length = method === 'HEAD' || (method === undefined && isBare) ? 0 : told;
    hold(rest.length >= start + length, 'an answer is cut off');
    if (status !== 100) answers.push({ status, headers, body: rest.slice(start, start + length) });
    rest = rest.slice(start + length);
  }
  return answers;
}
