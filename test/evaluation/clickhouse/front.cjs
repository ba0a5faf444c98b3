/*
 * chDB behind ClickHouse's HTTP interface, as far as clients need it: one statement a request,
 * in the body, or in `query` with the rows of an insert in the body. It is a process of its own,
 * for the engine is one a process and could end it. Prints its port; ends with its stdin. With
 * `NAME:PASSWORD` as its second argument it refuses everybody else.
 */
const { createServer } = require('node:http');
const { Session } = require(String(process.argv[2]));

const credentials = process.argv[3] || undefined;
const allowed = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
const session = new Session();
// Those of the client never change.
const applied = new Set();
let database = 'default';
session.query('set max_threads = 2');
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (allowed !== undefined && request.headers.authorization !== allowed) {
    response.writeHead(403, { 'x-clickhouse-exception-code': '516' });
    response.end('Code: 516. DB::Exception: Authentication failed');
    return;
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const { searchParams } = new URL(String(request.url), 'http://localhost');
  const given = searchParams.get('query');
  try {
    const wanted = searchParams.get('database') ?? 'default';
    if (wanted !== database) session.query(`use \`${wanted}\``);
    database = wanted;
    const statement = given === null ? body : `${given}\n${body}`;
    const settings = [...searchParams]
      .filter(([name]) => /^(?:input_|output_|max_)/.test(name))
      .map(([name, value]) => `${name} = ${value}`);
    // The engine takes them by itself: a SETTINGS clause has no place in every statement.
    for (const setting of settings) {
      if (!applied.has(setting)) session.query(`set ${setting}`);
      applied.add(setting);
    }
    const text = statement.trim() === '' ? '' : session.query(statement, 'TabSeparated');
    response.writeHead(200, { 'x-clickhouse-summary': '{}' });
    response.end(text);
  } catch (error) {
    const message = String(error instanceof Error ? error.message : error).replace(
      /^Query failed: /,
      '',
    );
    const code = /^Code: (\d+)/.exec(message)?.[1] ?? '0';
    response.writeHead(500, { 'x-clickhouse-exception-code': code });
    response.end(message);
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
