import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../../scripts/bundle.js';
import { pathOf } from '../harness/programs.js';

/*
 * `node bench/sessions/published.js DIRECTORY`: imports what others publish as examples and tests of
 * their formats, and prints the table of docs/contributing/published-traces.md, then why files were
 * refused. The directory holds the repositories as OWNER/NAME; those that are not there are cloned.
 */

/** @typedef {{ repository: string, commit: string, what: string, files: RegExp, options?: Record<string, object> }} Source */

const AKKA =
  '^\\[\\w+\\] \\[(?<date>[^\\]]+)\\] [^ ]+ \\[akka://Broadcast/user/(?<host>\\w+)\\] (?<clock>.*\\}) (?<event>.*)';
const TLC =
  '^State [0-9]+: <(?<event>\\w*) .*>\\n/\\\\ Host = (?<host>.*)\\n/\\\\ Clock = "(?<clock>.*)"\\n';

/** @type {readonly Source[]} */
const SOURCES = [
  {
    repository: 'open-telemetry/opentelemetry-proto',
    commit: 'ac2c4b5d1f3a6079de62f9afec860158ecc8af09',
    what: 'OTLP',
    files: /^examples\/.*\.json$/,
  },
  {
    repository: 'grafana/tempo',
    commit: 'ad33aa8fafc41a4ea58519f7b7a88b1aa1383224',
    what: 'OTLP, Tempo',
    files: /(?:tempo-vulture|servicegraphs)\/testdata\/.*\.json$/,
  },
  {
    repository: 'jaegertracing/jaeger',
    commit: '8498073ff809b1a3923521920a9b1b017ea97ecf',
    what: 'OTLP, Jaeger',
    files:
      /^internal\/storage\/integration\/fixtures\/traces\/|uiconv\/fixtures\/trace_|\/v1\/json\/fixtures\/|fixture\/otlp2jaeger/,
  },
  {
    repository: 'jaegertracing/jaeger-ui',
    commit: 'c321fb32bbca0bdce9e8c2d40afb35abbf54c12b',
    what: 'Jaeger, OTLP',
    files:
      /src\/(?:components|utils)\/.*(?:[tT]race[^/]*|o[lt][lt]p2jaeger[^/]*|spans?[A-Z][^/]*)\.json(?:\.txt)?$/,
  },
  {
    repository: 'openzipkin/zipkin',
    commit: '878ce2a1fad54ca941d17fdcf2e1d924b148eb1f',
    what: 'Zipkin',
    files: /^zipkin-lens\/testdata\/.*\.json$/,
  },
  {
    repository: 'DistributedClocks/shiviz',
    commit: 'ea00d3d48b2e4a2adc3c87c27d2f0119100ce36a',
    what: 'vector clocks',
    files: /^log\/.*\.log$/,
    options: {
      'log/simple-reliable-broadcast.log': { pattern: AKKA },
      'log/reliable-broadcast.log': { pattern: AKKA },
      'log/ewd998.log': { pattern: TLC, execution: '1' },
      'log/facebook-multiple.log': { execution: '1' },
      'log/facebook-multiple-study.log': { execution: '1' },
      'log/multiple-comparison.log': { execution: '1' },
    },
  },
  {
    repository: 'catapult-project/catapult',
    commit: '6fd8bbe723677254ff1130a1a416988b8b3e285e',
    what: 'Chrome',
    files: /^tracing\/test_data\/.*\.(?:json|gz)$/,
  },
  {
    repository: 'google/perfetto',
    commit: 'ec5d16b14b743ba6063d720956d6d6af6610fd72',
    what: 'Chrome',
    files: /^test\/trace_processor\/diff_tests\/.*\.json$/,
  },
  {
    repository: 'ros2/rosbag2',
    commit: '25304dd36e51cc0fbccf148fded2dd4ba5ccba35',
    what: 'MCAP',
    files: /\.mcap$/,
  },
];

const [, , directory = mkdtempSync(join(tmpdir(), 'perturb-published-'))] = process.argv;

const built = mkdtempSync(join(tmpdir(), 'perturb-load-'));
const outfile = join(built, 'load.mjs');
await bundleFile(pathOf('../../src/session/files/index.ts'), outfile, { external: ['tinyglobby'] });
/** @type {typeof import('../../src/session/files/index.js')} */
const { defaultProbeOf, readSessionStream } = await import(pathToFileURL(outfile).href);
rmSync(built, { recursive: true });

/** @param {string} repository @param {string[]} args */
function git(repository, ...args) {
  const cwd = join(directory, repository);
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, maxBuffer: 2 ** 30 });
  return status === 0 ? stdout : new Error(String(stderr));
}

/** @type {string[]} */
const refusals = [];
process.stdout.write(
  '| published by | format | files | read | refused | events | probes | timelines | interactions |\n|---|---|---|---|---|---|---|---|---|\n',
);
for (const { repository, commit, what, files, options = {} } of SOURCES) {
  if (!existsSync(join(directory, repository))) {
    const from = `https://github.com/${repository}`;
    const args = ['clone', '--filter=blob:none', '--no-checkout', from, repository];
    spawnSync('git', args, { cwd: directory, stdio: 'inherit' });
  }
  const listed = git(repository, 'ls-tree', '-r', '--name-only', commit);
  if (listed instanceof Error) throw listed;
  const paths = String(listed)
    .split('\n')
    .filter((path) => files.test(path));
  const sum = {
    files: 0,
    read: 0,
    refused: 0,
    events: 0,
    probes: 0,
    timelines: 0,
    interactions: 0,
  };
  for (const path of paths) {
    const bytes = git(repository, 'show', `${commit}:${path}`);
    // A mirror may lack large files.
    if (bytes instanceof Error) continue;
    sum.files++;
    const pieces = (async function* () {
      yield bytes;
    })();
    const own = { probe: defaultProbeOf(path), ...options[path] };
    const { session, problems } = await readSessionStream(pieces, own);
    if (session === undefined) {
      sum.refused++;
      refusals.push(`${repository}/${path}: ${problems[0]?.message}`);
      continue;
    }
    sum.read++;
    sum.events += session.size;
    sum.probes += session.probes.length;
    sum.timelines += session.timelines.probe.length;
    sum.interactions += session.order.edgeFrom.length;
  }
  const cells = Object.values(sum).map((count) => count.toLocaleString('en'));
  process.stdout.write(
    `| [${repository}](https://github.com/${repository}/tree/${commit}) | ${what} | ${cells.join(' | ')} |\n`,
  );
}
process.stdout.write(`\n${refusals.join('\n')}\n`);
