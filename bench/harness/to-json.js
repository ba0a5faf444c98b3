import { availableParallelism } from 'node:os';

/** @import { Figure } from './figure.js' */

/** The figures for programs. @param {readonly Figure[]} figures */
export function toJson(figures) {
  const { version, platform, arch } = process;
  const ran = { node: version, platform, arch, cores: availableParallelism() };
  return `${JSON.stringify({ version: 1, ...ran, figures }, null, 2)}\n`;
}
