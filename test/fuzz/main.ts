import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { writeFixture } from './fixture.js';
import { fuzz } from './fuzz.js';
import { targets } from './targets/index.js';

/*
 * The command line of the fuzzer. What it finds becomes a fixture, so that the
 * tests fail until it is mended.
 */

const USAGE = `usage: npm run fuzz -- [--target NAME] [--seconds N | --count N] [--seed N]

  --target NAME   ${Object.keys(targets).join(', ')}; all of them unless given
  --seconds N     how long to fuzz each target; 30 unless given
  --count N       how many inputs to try of each target, instead
  --seed N        repeats a run: the same seed gives the same inputs
`;

/** What the watchdog sees of this thread, which may be in an endless loop. */
const UNITS = 1 << 20;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      seconds: { type: 'string', default: '30' },
      count: { type: 'string' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      help: { type: 'boolean' },
    },
  });
  const seed = Number(values.seed);
  const most = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count);
  const seconds = values.count === undefined ? Number(values.seconds) : Number.POSITIVE_INFINITY;
  const names = values.target === undefined ? Object.keys(targets) : [values.target];
  if (values.help || !names.every((name) => Object.hasOwn(targets, name))) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  if (!Number.isInteger(seed) || Number.isNaN(seconds) || Number.isNaN(most)) {
    process.stderr.write(USAGE);
    return 2;
  }
  const onInput = watch();
  let found = 0;
  for (const name of names) {
    const target = await (targets[name] as (typeof targets)[string])();
    process.stdout.write(`${name}: seed ${seed}, ${target.seeds.length} inputs to begin with\n`);
    const end = performance.now() + 1_000 * seconds;
    const { inputs, interesting } = await fuzz(target, {
      seed,
      goOn: (count) => count < most && performance.now() < end,
      timed: true,
      onInput,
      onFinding(fixture) {
        found += 1;
        process.stdout.write(`  ${fixture.found}\n    ${writeFixture(name, fixture)}\n`);
      },
    });
    await target.close?.();
    process.stdout.write(`${name}: ${inputs} inputs, ${interesting} of them interesting\n`);
  }
  process.stdout.write(found === 0 ? 'nothing found\n' : `${found} found\n`);
  return found === 0 ? 0 : 1;
}

/** Starts the watchdog; gives what tells it of each input. */
function watch(): (input: string) => void {
  const ticks = new Int32Array(new SharedArrayBuffer(8));
  const units = new Uint8Array(new SharedArrayBuffer(2 * UNITS));
  const text = Buffer.from(units.buffer);
  new Worker('./test/fuzz/watchdog.js', { workerData: { ticks, units } }).unref();
  return (input) => {
    Atomics.store(ticks, 1, text.write(input, 'utf16le'));
    Atomics.add(ticks, 0, 1);
  };
}

process.exitCode = await main();
