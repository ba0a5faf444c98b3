export { readSessionFile, readSessionStream } from './read-file.js';
export {
  findSessions,
  readVocabulary,
  type VocabularyReading,
  vocabularyCache,
} from './vocabularies.js';
