import { describeStore } from './contract.js';
import { database, sqlite } from './databases.js';

describeStore(sqlite);
describeStore(database);
