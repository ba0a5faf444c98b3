// Writes the objective: what is so in all but one of the healthy minutes of DIRECTORY/choose.
//
//   node choose.js DIRECTORY
//
// Its limits are twice what all but one of these minutes stay below. One may be above, because the
// minute before a fault sometimes still shows the fault before that.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: node choose.js DIRECTORY');
const healthy = join(directory, 'choose/healthy');
const files = readdirSync(healthy).map((name) => join(healthy, name));
const minutes = files.map(readMinute);
const objective = join(directory, 'chosen.objective.toml');

const delay = (key) => ({
  name: `Calls are on their way for as long as usual, by ${key}`,
  check: (limit) => `
MATCH
  (span.end = true AND span.kind = 'client') AS call,
  (span.end = true AND span.kind = 'server') AS handled
FILTER handled.span.parent.id = call.span.id
AGGREGATE percentile(call.span.duration - handled.span.duration, 50) <= ${limit}ms BY ${key}.probe`,
});
const pace = (service) => ({
  name: `${service} takes as long as usual`,
  check: (limit) => `
MATCH (span.end = true AND span.kind = 'server' AND probe = '${service}') AS handled
AGGREGATE
  percentile(handled.span.duration, 50) <= ${limit} * baseline(percentile(handled.span.duration, 50))
BY handled.probe`,
});
const order = ({ service, first, last }) => ({
  name: `${service} comes from ${first} to ${last}`,
  check: () => `
MATCH
  (name = '${first}' AND probe = '${service}' AND NOT exists(span.end)) AS first,
  NOT ('${last}' @ '${service}') AS last
WHEN first -> last
FILTER first.span.id = last.span.id
AGGREGATE count() = 0`,
});
const errors = (usual) => ({
  name: 'No unusual errors',
  check: () => `
MATCH (log.severity = 'ERROR') AS error
FILTER error.name NOT IN (${usual.map((line) => `'${line}'`).join(', ')})
AGGREGATE count() = 0`,
});

const services = new Set(minutes.flatMap(({ services }) => [...services]));
const limited = [delay('handled'), delay('call'), ...[...services].sort().map(pace)];
const limits = limitsOf(limited);
const sequences = sequencesOf();
write([
  ...limited.map((one, index) => ({ ...one, limit: limits[index] })),
  errors(usualErrors()),
  ...sequences.map(order),
]);
console.log(`${limited.length} limits and ${sequences.length} sequences in ${objective}`);

/** Twice the second greatest value that is measured in the healthy minutes. */
function limitsOf(measurements) {
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
    values.sort((a, b) => b - a);
    return (2 * (values[1] ?? values[0])).toFixed(1);
  });
}

/** The lines that more than one healthy minute has as errors. */
function usualErrors() {
  const all = minutes.flatMap(({ errors }) => [...errors]);
  return [...new Set(all.filter((line, index) => all.indexOf(line) < index))].sort();
}

/**
 * Lines of a service's log that each span writes one after the other, from the first to the last.
 * A span that writes the first one writes the last one too.
 */
function sequencesOf() {
  const follows = new Map();
  const precedes = new Map();
  for (const { spans } of minutes) {
    const here = new Map();
    for (const { service, lines } of spans) {
      for (const [index, line] of lines.entries()) {
        const at = `${service}\t${line}`;
        here.set(at, (here.get(at) ?? new Set()).add(lines[index + 1]));
      }
    }
    for (const [at, next] of here) follows.set(at, [...(follows.get(at) ?? []), next]);
  }
  const next = new Map();
  for (const [at, sets] of follows) {
    const only = sets.flatMap((set) => (set.size === 1 ? [...set] : []));
    const [line, ...others] = new Set(only);
    const isUsual = sets.length > 2 && only.length >= sets.length - 1 && others.length === 0;
    if (isUsual && line !== undefined) next.set(at, line);
  }
  for (const [at, line] of next) precedes.set(`${at.split('\t')[0]}\t${line}`, at);
  return [...next.keys()]
    .filter((at) => !precedes.has(at))
    .sort()
    .map((at) => {
      const [service, first] = at.split('\t');
      let last = first;
      const seen = new Set();
      while (next.has(`${service}\t${last}`) && !seen.has(last)) {
        seen.add(last);
        last = next.get(`${service}\t${last}`);
      }
      return { service, first, last };
    });
}

/** The services that handle calls, and the lines that each span wrote, in the order of time. */
function readMinute(file) {
  const services = new Set();
  const spans = new Map();
  const errors = new Set();
  const records = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  for (const { resourceSpans = [] } of records) {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes[0].value.stringValue;
      for (const { spanId, name, kind } of scopeSpans.flatMap((one) => one.spans)) {
        if (kind === 2) services.add(service);
        spans.set(spanId, { service, records: [{ time: 0n, eventName: name }] });
      }
    }
  }
  for (const { resourceLogs = [] } of records) {
    for (const { scopeLogs } of resourceLogs) {
      for (const record of scopeLogs.flatMap((one) => one.logRecords)) {
        const { spanId, timeUnixNano, severityText, eventName } = record;
        spans.get(spanId)?.records.push({ time: BigInt(timeUnixNano), eventName });
        if (severityText === 'ERROR') errors.add(eventName);
      }
    }
  }
  return {
    services,
    errors,
    spans: [...spans.values()].map(({ service, records }) => ({
      service,
      lines: records
        .sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)))
        .map(({ eventName }) => eventName),
    })),
  };
}

function write(measurements) {
  const tables = measurements.map(
    ({ name, check, limit }) =>
      `[[measurement]]\nname = "${name}"\ncheck = """${check(limit)}\n"""\n`,
  );
  const head = 'name = "Every minute is like the healthy ones"\n\n[stopping_conditions]\nattempts = 1\n';
  writeFileSync(objective, [head, ...tables].join('\n'));
}
