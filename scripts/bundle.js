import { build } from 'rolldown';

/*
 * The bundler of the build, of tests and of the bench.
 */

/** The oldest version of Node that Perturb supports. */
export const target = 'node20.19';

/**
 * Bundles modules for Node, and writes them unless `write` is false.
 *
 * @param {import('rolldown').InputOptions & { write?: boolean }} input
 * @param {import('rolldown').OutputOptions} output
 * @returns {Promise<import('rolldown').RolldownOutput>} what was or would be written
 */
export async function bundle({ write = true, transform, ...input }, output) {
  return build({
    platform: 'node',
    // The CommonJS build of jsonc-parser cannot be bundled.
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'warn',
    ...input,
    transform: { target, ...transform },
    // Node 24 would compile all functions within such a wrapper eagerly.
    optimization: { pifeForModuleWrappers: false },
    write,
    output,
  });
}

/**
 * Bundles a module into one ES module.
 *
 * @param {string} input path of the module
 * @param {string} file path of what is written
 * @param {import('rolldown').InputOptions} [options]
 * @param {import('rolldown').OutputOptions} [output]
 */
export async function bundleFile(input, file, options, output) {
  await bundle({ ...options, input }, { file, format: 'esm', codeSplitting: false, ...output });
}

/**
 * A plugin that gives a module its text.
 *
 * @param {string} path the module's path, which need not exist; what it imports is relative to it
 * @param {string} text
 * @returns {import('rolldown').Plugin}
 */
export const virtual = (path, text) => ({
  name: 'virtual',
  resolveId: (id) => (id === path ? path : undefined),
  load: (id) => (id === path ? text : undefined),
});
