/* What reads sessions from files: a door of its own, since a browser has none. */

export { type ReadFileOptions, readSessionFile, readSessionStream } from './read-session-file.js';
