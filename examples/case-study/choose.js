// Writes the objective: what holds in the healthy minutes of DIRECTORY/choose.
//
//   node choose.js DIRECTORY

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The smallest one with which no healthy minute is above the limits that the others give. */
const FACTOR = 2.5;
/** How many spans show that a line follows another. */
const SPANS = 50;
/** The share of spans that have it in each healthy minute; in any other minute, fewer need to. */
const MOST = 0.8;

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: node choose.js DIRECTORY');
const healthy = join(directory, 'choose/healthy');
const objective = join(directory, 'chosen.objective.toml');
const files = readdirSync(healthy).map((name) => join(healthy, name));
const minutes = files.map(readMinute);
const services = [...new Set(minutes.flatMap((minute) => [...minute.services]))].sort();

const CALLS = `
MATCH
  (span.end = true AND span.kind = 'client') AS call,
  (span.end = true AND span.kind = 'server') AS handled
FILTER handled.span.parent.id = call.span.id
AGGREGATE`;
const ON_THE_WAY = 'call.span.duration - handled.span.duration';

/** Half of the calls to a service arrive sooner than the slowest single call in a healthy minute. */
const arrival = {
  name: 'Calls arrive',
  check: (limit) => `${CALLS} percentile(${ON_THE_WAY}, 50) <= ${limit}ms BY handled.probe`,
};
const slowest = {
  name: 'The slowest call',
  check: (limit) => `${CALLS} max(${ON_THE_WAY}) <= ${limit}ms BY handled.probe`,
};
const sending = {
  name: 'Callers are quick',
  check: (limit) => `${CALLS} percentile(${ON_THE_WAY}, 50) <= ${limit}ms BY call.probe`,
};
const pace = (service) => ({
  name: `${service} is quick`,
  check: (limit) => `
MATCH (span.end = true AND span.kind = 'server' AND probe = '${service}') AS handled
AGGREGATE
  percentile(handled.span.duration, 50) <= ${limit} * baseline(percentile(handled.span.duration, 50))
BY handled.probe`,
});
const sequence = ({ service, line, next }) => ({
  name: `${service} goes on after ${line}`,
  check: () => `
MATCH
  (name = '${line}' AND probe = '${service}' AND NOT exists(span.end)) AS line,
  (name IN (${list(next)}) AND probe = '${service}') AS next
WHEN line -> next
FILTER next.span.id = line.span.id
AGGREGATE count() >= 1 BY line FOR 60%`,
});
/** More than one healthy minute has the usual errors; a single one may still show an earlier fault. */
const errors = {
  name: 'No unusual errors',
  check: () => `
MATCH (log.severity = 'ERROR') AS error
FILTER error.name NOT IN (${list(['', ...usualErrors()])})
AGGREGATE count() = 0`,
};

const [reach] = limitsOf([slowest], 1);
const limited = [sending, ...services.map(pace)];
const limits = limitsOf(limited, FACTOR);
const written = [
  { ...arrival, limit: reach },
  ...limited.map((one, index) => ({ ...one, limit: limits[index] })),
  errors,
  ...sequences().map(sequence),
];
write(written);
console.log(`${written.length} measurements in ${objective}`);

/** The greatest values of the healthy minutes, multiplied. */
function limitsOf(measurements, factor) {
  const SMALL = 0.001;
  write(measurements.map((one) => ({ ...one, limit: SMALL })));
  const args = ['objective', 'measure', objective, ...files, '--baseline', ...files];
  const { stdout, stderr } = spawnSync('perturb', [...args, '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (stdout === '') throw new Error(stderr);
  const { sessions } = JSON.parse(stdout);
  return measurements.map((_, index) => {
    const values = sessions.flatMap(({ measurements }) => {
      const worst = measurements[index].groups?.worst[0]?.measures[0];
      return worst === undefined ? [] : (SMALL * Number(worst.left)) / Number(worst.right);
    });
    return (factor * Math.max(...values)).toFixed(1);
  });
}

function usualErrors() {
  const all = minutes.flatMap((minute) => [...minute.errors]);
  return [...new Set(all.filter((line, index) => all.indexOf(line) < index))].sort();
}

/**
 * What most spans, or their lines, are followed by in each healthy minute. There may be one
 * minute in which none is: it shows the fault before it, or the next one.
 */
function sequences() {
  const follows = new Map();
  for (const [minute, { spans }] of minutes.entries()) {
    for (const { service, lines } of spans) {
      for (const [index, line] of lines.entries()) {
        const at = JSON.stringify([service, line]);
        const seen = follows.get(at) ?? [];
        seen.push({ minute, next: lines[index + 1] });
        follows.set(at, seen);
      }
    }
  }
  return [...follows].sort().flatMap(([at, all]) => {
    const [service, line] = JSON.parse(at);
    const minutesWith = (name) =>
      new Set(all.flatMap((o) => (o.next === name ? o.minute : []))).size;
    const names = [...new Set(all.map(({ next }) => next))].sort();
    const next = names.filter((name) => name !== undefined && minutesWith(name) > 1);
    const shares = minutes.flatMap((_, minute) => {
      const here = all.filter((one) => one.minute === minute);
      const followed = here.filter((one) => next.includes(one.next)).length;
      return here.length === 0 ? [] : followed / here.length;
    });
    const lacking = shares.filter((share) => share < MOST);
    const isKept = lacking.length === 0 || (lacking.length === 1 && lacking[0] === 0);
    return next.length > 0 && all.length >= SPANS && isKept ? [{ service, line, next }] : [];
  });
}

/** The services that handle calls, the errors, and what each span wrote, after its name. */
function readMinute(file) {
  const services = new Set();
  const errors = new Set();
  const spans = new Map();
  const records = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { resource, scopeSpans } of records.flatMap((one) => one.resourceSpans ?? [])) {
    const service = resource.attributes[0].value.stringValue;
    for (const { spanId, name, kind } of scopeSpans[0].spans) {
      if (kind === 2) services.add(service);
      spans.set(spanId, { service, name, written: [] });
    }
  }
  for (const { scopeLogs } of records.flatMap((one) => one.resourceLogs ?? [])) {
    for (const { spanId, timeUnixNano, severityText, eventName } of scopeLogs[0].logRecords) {
      spans.get(spanId)?.written.push({ time: BigInt(timeUnixNano), eventName });
      if (severityText === 'ERROR') errors.add(eventName);
    }
  }
  return {
    services,
    errors,
    spans: [...spans.values()].map(({ service, name, written }) => {
      written.sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
      return { service, lines: [name, ...written.map(({ eventName }) => eventName)] };
    }),
  };
}

function list(texts) {
  return texts.map((text) => `'${text}'`).join(', ');
}

function write(measurements) {
  const tables = measurements.map(
    ({ name, check, limit }) =>
      `[[measurement]]\nname = "${name}"\ncheck = """${check(limit)}\n"""\n`,
  );
  const head = 'name = "Like the healthy minutes"\n\n[stopping_conditions]\nattempts = 1\n';
  writeFileSync(objective, [head, ...tables].join('\n'));
}
