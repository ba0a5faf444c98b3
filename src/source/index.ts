export * from './decode.js';
export * from './embedded-source.js';
export * from './source-file.js';
export * from './typed-array.js';
