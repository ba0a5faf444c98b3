import { type Entries, table } from '../../toml/index.js';
import { actuatorFormats } from './actuators/actuator-formats.js';
import { manifestFormat } from './format.js';

/** What a manifest may hold, an actuator of it the keys of every kind: what an editor offers. */
export const anyManifestFormat = manifestFormat(
  table(
    Object.assign({}, ...Object.values(actuatorFormats).map((format) => format.keys)) as Entries,
  ),
);
