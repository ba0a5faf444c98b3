import { Option } from 'commander';

/** `--config`, of every command that reads perturb.toml. */
export function configOption(): Option {
  return new Option(
    '--config <path>',
    'the perturb.toml to use (default: the nearest one, here or above)',
  );
}
