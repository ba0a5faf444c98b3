import { expect, it } from 'vitest';
import { repositoryPath } from '../../../src/reporters/ci/annotations.js';
import { context } from '../sample.js';

it.each([
  ['objectives/wind.toml', 'bench/objectives/wind.toml'],
  ['./wind.toml', 'bench/wind.toml'],
  ['../drone/wind.toml', 'drone/wind.toml'],
  ['/repo/drone/wind.toml', 'drone/wind.toml'],
  ['..wind/a.toml', 'bench/..wind/a.toml'],
  ['../..wind/a.toml', '..wind/a.toml'],
  ['../../other/wind.toml', '/other/wind.toml'],
  ['/elsewhere/wind.toml', '/elsewhere/wind.toml'],
  ['/repository/wind.toml', '/repository/wind.toml'],
  ['-', '-'],
  ['./-', 'bench/-'],
])('shows %j as %j', (path, shown) => {
  expect(repositoryPath(path, context)).toBe(shown);
});

it('shows a path in the root as it is', () => {
  expect(repositoryPath('a/b.toml', { ...context, directory: '/repo' })).toBe('a/b.toml');
  expect(repositoryPath('a/b.toml', { ...context, directory: '/', root: '/' })).toBe('a/b.toml');
});
