// Turns the data set of Nezha into sessions that Perturb reads: each minute of it into a file of
// OTLP JSON Lines, with its spans and its logs, in a directory that says what the minute is.
//
//   node minutes.js DIRECTORY OUT DATE...
//
// - OUT/HALF/healthy: minutes that had ended when the next fault was injected.
// - OUT/HALF/faulty: minutes that began after a fault was injected; their names end with its kind
//   and its service. A minute in which a fault was injected is neither, and left out.
// - HALF is `choose` or `judge`: every second fault, with all its minutes, and every second
//   minute of the phase without faults.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The digests of what is read for these dates, at commit d8140101fdb4e7dfb60d3ef9f64706f382b68470. */
const DIGESTS = {
  '2023-01-29': '7b082df94008d30dce340a46d37c6ade36d89ed3d57b873b6852662eadb36f00',
  '2023-01-30': '16e77bc6e3fef4c67edf892e0a6635a4a2e81f0aefa386ae73de4e4d6689dcd2',
};
/** Of OTLP. The data set does not say the kind of a span; the pods of it and its parent do. */
const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
/** A line of a log, such as `16:42:54.172 INFO  c.s.ContactsServiceImpl#31 ...`. */
const LINE = /^\{"log":"\S+ +(INFO|WARN|ERROR) +(\S+#\d+) /;

const [directory, out, ...dates] = process.argv.slice(2);
if (dates.length === 0) throw new Error('usage: node minutes.js DIRECTORY OUT DATE...');
let hash;
let minutes = 0;
let faults = 0;
let calm = 0;
for (const date of dates) {
  hash = createHash('sha256');
  const found = minutesOf(date);
  const digest = hash.digest('hex');
  if ((DIGESTS[date] ?? digest) !== digest) {
    throw new Error(
      `${date}: the files have the SHA-256 ${digest}, and should have ${DIGESTS[date]}`,
    );
  }
  for (const { half, name, lines } of found) {
    mkdirSync(join(out, half), { recursive: true });
    writeFileSync(join(out, half, `${date}_${name}.jsonl`), lines);
    minutes += 1;
  }
}
console.log(`${minutes} minutes of ${faults} faults in ${out}`);

function minutesOf(date) {
  const found = [];
  for (const file of list(`construct_data/${date}/trace`)) {
    const { lines } = convert('construct_data', date, file.slice(0, 5));
    found.push({ half: `${halfOf(calm)}/healthy`, name: file.slice(0, 5), lines });
    calm += 1;
  }
  const hours = JSON.parse(read(`rca_data/${date}/${date}-fault_list.json`));
  for (const fault of Object.values(hours).flat()) {
    const half = halfOf(faults);
    const injected = Date.parse(`${fault.inject_time.replace(' ', 'T')}Z`);
    for (const after of [0, 1, 2]) {
      const minute = new Date(injected + after * 60_000).toISOString().slice(11, 16);
      const { lines, start, end } = convert('rca_data', date, minute.replace(':', '_'));
      const name = minute.replace(':', '_');
      if (end < injected) found.push({ half: `${half}/healthy`, name, lines });
      if (start >= injected) {
        const at = `${name}.${fault.inject_type}.${serviceOf(fault.inject_pod)}`;
        found.push({ half: `${half}/faulty`, name: at, lines });
      }
    }
    faults += 1;
  }
  return found;
}

function halfOf(index) {
  return index % 2 === 0 ? 'choose' : 'judge';
}

/** A minute as OTLP; its start and its end in milliseconds. */
function convert(phase, date, minute) {
  const pods = new Map();
  const podOf = (pod) => {
    if (!pods.has(pod)) pods.set(pod, { spans: [], logRecords: [] });
    return pods.get(pod);
  };
  const times = [];
  const rows = rowsOf(`${phase}/${date}/trace/${minute}_trace.csv`);
  const podOfSpan = new Map(rows.map((row) => [row.SpanID, row.PodName]));
  const isRemote = (row) =>
    podOfSpan.has(row.ParentID) && podOfSpan.get(row.ParentID) !== row.PodName;
  const clients = new Set(rows.filter(isRemote).map((row) => row.ParentID));
  for (const row of rows) {
    const { StartTimeUnixNano: start, EndTimeUnixNano: end } = row;
    times.push(Number(start) / 1e6, Number(end) / 1e6);
    podOf(row.PodName).spans.push({
      traceId: row.TraceID,
      spanId: row.SpanID,
      ...(row.ParentID !== 'root' && { parentSpanId: row.ParentID }),
      name: row.OperationName,
      kind: isRemote(row) ? SERVER : clients.has(row.SpanID) ? CLIENT : INTERNAL,
      startTimeUnixNano: start,
      endTimeUnixNano: end,
    });
  }
  for (const row of rowsOf(`${phase}/${date}/log/${minute}_log.csv`)) {
    const [, severityText, eventName] = LINE.exec(row.Log) ?? [];
    if (eventName === undefined || row.SpanID === '') continue;
    podOf(row.PodName).logRecords.push({
      timeUnixNano: row.TimeUnixNano,
      traceId: row.TraceID,
      spanId: row.SpanID,
      severityText,
      eventName,
    });
  }
  const lines = [];
  for (const [pod, { spans, logRecords }] of pods) {
    const attributes = [
      { key: 'service.name', value: { stringValue: serviceOf(pod) } },
      { key: 'service.instance.id', value: { stringValue: pod } },
    ];
    const resource = { attributes };
    lines.push({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    lines.push({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
  }
  const sorted = times.sort((a, b) => a - b);
  return {
    lines: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    start: sorted.at(0),
    end: sorted.at(-1),
  };
}

/** `ts-order-service-7f8d7d756d-k7b9j` is a pod of `ts-order-service`. */
function serviceOf(pod) {
  return pod.split('-').slice(0, -2).join('-');
}

/** The rows of a CSV file, by the names in its first line. */
function rowsOf(path) {
  const cells = read(path).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g);
  const rows = [[]];
  for (const [, quoted, plain, end] of cells) {
    rows.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  const [names, ...all] = rows.filter((row) => row.length > 1);
  return all.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
}

function read(path) {
  const text = readFileSync(join(directory, path), 'utf8');
  hash.update(path).update('\n').update(text);
  return text;
}

function list(path) {
  return readdirSync(join(directory, path)).sort();
}
