import { describe, expect, test } from 'vitest';
import { readSessionStream } from '../../src/session/files/index.js';
import {
  problemText,
  type ReadOptions,
  readSession,
  type Session,
} from '../../src/session/index.js';
import { recordsOf } from './written.js';

async function read(text: string, options: ReadOptions = {}): Promise<readonly string[]> {
  const { session, format, problems } = await readSession(text, { probe: 'file', ...options });
  expect([format, problems]).toEqual(['csv', []]);
  return recordsOf(session as Session);
}

const TABLE = `time,service,event,left,ok,note
1970-01-01T00:00:01.5Z,cart,placed,17,true,"a ""b"", c"
1970-01-01T00:00:02Z,stock,"two
lines",0.5,false,
`;
const LINES = [
  '{"probe":"cart","name":"placed","time":1500000000,"attributes":{"left":17,"note":"a \\"b\\", c","ok":true}}',
  '{"probe":"stock","name":"two\\nlines","time":2000000000,"attributes":{"left":0.5,"ok":false}}',
];

describe('CSV', () => {
  test('the header tells the columns; quoted cells may hold anything', async () => {
    expect(await read(TABLE)).toEqual(LINES);
    expect(await read(`\ufeff${TABLE.replaceAll('\n', '\r\n')}`)).toEqual(
      LINES.map((line) => line.replace('\\n', '\\r\\n')),
    );
  });

  test.each([';', '\t', '|'])('parted by %j', async (delimiter) => {
    const text = `Timestamp,Host Name,Event Name\n2026-11-23T01:31:02Z,h,x\n`;
    expect(await read(text.replaceAll(',', delimiter))).toEqual([
      '{"probe":"h","name":"x","time":1795397462000000000}',
    ]);
  });

  test('columns of ids, places and timelines; cells that are empty are missing', async () => {
    const text = 'seq,timeline,Event,Component,X-Request-ID,a.b,\n2,t,x,C,r1,5,9\n1,t,y,C,,,\n';
    expect(await read(text)).toEqual([
      '{"probe":"C","timeline":"t","name":"y","seq":1}',
      '{"probe":"C","timeline":"t","name":"x","seq":2,"attributes":{"a.b":5,"column 7":9,"request.id":"r1"}}',
    ]);
  });

  test('any other header needs --from or --map, which also makes interactions', async () => {
    const text =
      'when,who,what,"the id"\n1970-01-01T00:00:01Z,a,put,7\n1970-01-01T00:00:02Z,b,got,7\n';
    expect((await readSession(text)).problems[0]?.message).toBe(
      'unknown format: it looks like text, which begins with \'when,who,what,"the id"\'',
    );
    expect(await read(text, { reading: { from: 'csv' } })).toEqual([
      '{"probe":"file","name":"row","attributes":{"the id":7,"what":"put","when":"1970-01-01T00:00:01Z","who":"a"}}',
      '{"probe":"file","name":"row","attributes":{"the id":7,"what":"got","when":"1970-01-01T00:00:02Z","who":"b"}}',
    ]);
    const fields = { name: '$.what', probe: '$.who', time: '$.when' };
    const keys = { send: 'put=$["the id"]', receive: 'got=$["the id"]' };
    expect(await read(text, { reading: { map: fields, ...keys } })).toEqual([
      '{"probe":"a","name":"put","time":1000000000,"attributes":{"the id":7}}',
      '{"probe":"b","name":"got","time":2000000000,"attributes":{"the id":7}}',
      '{"from":["a",0],"to":["b",0]}',
    ]);
  });

  test('what fits not the header is told with its line', async () => {
    const text = `${TABLE}1,a\n\n,,,,,\n3,c,x,1,2,3,4\nnever,c,x,1,2,3\n`;
    const { problems, session } = await readSession(text, { tolerant: true });
    expect(problems.map(problemText)).toEqual([
      '5: a row has 2 cells, but the header has 6: "1,a"',
      '8: a row has 7 cells, but the header has 6: "3,c,x,1,2,3,4"',
      '9: a line whose time is neither ISO 8601 nor a count since 1970: "never"',
    ]);
    expect(session?.size).toBe(2);
    const open = await readSession(`${TABLE}1970-01-01T00:00:04Z,d,"never closed,1,2\n`);
    expect(open.problems.map(problemText)).toEqual([
      '5: not CSV: Quote Not Closed: the parsing is finished with an opening quote',
    ]);
  });

  test('a large table is read as it comes, with its lines told', async () => {
    const row = `1970-01-01T00:00:01Z,cart,"x\ny",${'n'.repeat(500)}\n`;
    const text = `time,service,event,note\n${row.repeat(5000)}broken\n`;
    const pieces = (async function* () {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length; at += 65_537) yield bytes.subarray(at, at + 65_537);
    })();
    const { session, problems } = await readSessionStream(pieces, { tolerant: true });
    expect([session?.size, problems.map(problemText)]).toEqual([
      5000,
      ['10002: a row has 1 cell, but the header has 4: "broken"'],
    ]);
  });

  test('a quote within a cell is no end of a row, however large the table is', async () => {
    const rows = Array.from({ length: 2500 }, (_, at) => `cart,"x\ny",${'n'.repeat(500)}${at}\n`);
    const text = `service,event,note\ncart,5" pipe,\n${rows.join('')}`;
    const { session, problems } = await readSession(text);
    expect([session?.size, problems]).toEqual([2501, []]);
    expect(recordsOf(session as Session).at(-1)).toMatch(
      /^\{"probe":"cart","name":"x\\ny".*n2499"\}\}$/,
    );
  });

  test('blank lines before the header are passed over', async () => {
    expect(await read('\n  \nservice,event\ncart,placed\n')).toEqual([
      '{"probe":"cart","name":"placed"}',
    ]);
  });

  test.each([
    ['a line that names the delimiter', 'sep=;\nservice;event;n\ncart;placed;5\n'],
    ['comments', '# run 7\n# of a, b\nservice,event,n\ncart,placed,5\n'],
    ['spaces around cells', 'service, event, n\ncart, placed, 5\n'],
    ['spaces around quotes', 'service , event,n\ncart , "placed" ,5\n'],
    ['a header that begins as a comment does', '#service,event,n\ncart,placed,5\n'],
  ])('%s', async (_, text) => {
    expect(await read(text)).toEqual(['{"probe":"cart","name":"placed","attributes":{"n":5}}']);
  });

  test('spaces in quotes belong to a cell, as do tabs and empty cells between tabs', async () => {
    expect(await read('service,event,note\ncart,placed," 5 "\n')).toEqual([
      '{"probe":"cart","name":"placed","attributes":{"note":" 5 "}}',
    ]);
    expect(await read('service\tevent\ta\tb\ncart\tplaced\t\t5\n')).toEqual([
      '{"probe":"cart","name":"placed","attributes":{"b":5}}',
    ]);
  });

  test('rows that are not UTF-8 are told with their lines', async () => {
    const text = 'service,event\ncart,pl\u00e4ced\ncart,\ufffd\n';
    const row = Buffer.from('cart,pl\xe4ced\ncart,pl\xfcced\n', 'latin1');
    const { session, problems } = await readSession([Buffer.from(text), row], { tolerant: true });
    expect(problems.map(problemText)).toEqual([
      '4: 2 lines, from here on, not in UTF-8: convert the file, for example with iconv -f LATIN1 -t UTF-8',
    ]);
    expect(recordsOf(session as Session)).toEqual([
      '{"probe":"cart","name":"pl\u00e4ced"}',
      '{"probe":"cart","name":"\ufffd"}',
    ]);
  });

  test('a column with the name of another keeps its cells', async () => {
    expect(await read('service,event,user,user\ncart,placed,a,b\n')).toEqual([
      '{"probe":"cart","name":"placed","attributes":{"column 4":"b","user":"a"}}',
    ]);
  });
});
