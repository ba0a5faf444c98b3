import { describeStore } from './contract.js';
import { pglite, postgres, SERVER, sqlite } from './databases.js';

describeStore(sqlite);
describeStore(pglite);
describeStore(postgres, SERVER === undefined);
