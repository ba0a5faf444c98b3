import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/cli/config/config.js';
import { allRules } from '../../../src/cli/rules.js';
import { decodeSource } from '../../../src/source/index.js';
import { toBytes } from '../bytes.js';
import { holdFindings } from '../findings.js';
import { hold, kindOf, type Target } from '../target.js';
import { TOML_TOKENS } from './toml-tokens.js';

const SEED = `[lint]
include = ["objectives/**/*.toml"]
exclude = ["objectives/drafts/**"]
mutators = ["bench/mutators.toml", "http://127.0.0.1:8080", "bench"]

[lint.rules]
"expression/cartesian-product" = "off"
"toml/syntax" = "warn"

[servers.bench]
url = "http://127.0.0.1:8080"
api_key_env = "PERTURB_BENCH_KEY"

[store]
url = "sqlite:.perturb/objectives.db"
`;

const TOKENS = [
  ...['lint', 'include', 'exclude', 'mutators', 'rules', 'servers', 'url', 'api_key_env', 'store'],
  ...['"off"', '"warn"', '"error"', '"expression/syntax"', '"expression/sintax"', '"config/no"'],
];

/** The settings of a project: perturb.toml with any bytes. */
export function configTarget(): Target {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-fuzz-'));
  const path = join(directory, 'perturb.toml');
  return {
    name: 'config',
    seeds: [SEED, ...TOML_TOKENS.slice(0, 3)],
    tokens: [...TOKENS, ...TOML_TOKENS],
    run(input) {
      const bytes = toBytes(input);
      writeFileSync(path, bytes);
      const { config, findings } = loadConfig({ cwd: directory, env: {} }, undefined, allRules);
      holdFindings(decodeSource(path, bytes).source.text, findings);
      hold(config.directory === directory, 'the settings are those of another directory');
      return findings.map(({ rule, message }) => `${rule} ${kindOf(message)}`);
    },
    async close() {
      rmSync(directory, { recursive: true });
    },
  };
}
