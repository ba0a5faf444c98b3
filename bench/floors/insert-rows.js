/*
 * Does what parse-files.js does, then copies the tables of a SQLite file into a
 * new one, durably and in one transaction.
 */
import Sqlite from 'libsql';
import './parse-files.js';

const [, , , from = '', to = ''] = process.argv;
const source = new Sqlite(from);
const target = new Sqlite(to);
target.pragma('journal_mode = wal');
target.pragma('synchronous = full');
target.exec('begin immediate');
const tables = /** @type {{ name: string, sql: string }[]} */ (
  source.prepare("select name, sql from sqlite_master where type = 'table'").all()
);
for (const { name, sql } of tables) {
  target.exec(sql);
  const rows = /** @type {unknown[][]} */ (source.prepare(`select * from ${name}`).raw().all());
  const places = rows[0]?.map(() => '?').join();
  const insert = target.prepare(`insert into ${name} values (${places})`);
  for (const row of rows) insert.run(row);
}
target.exec('commit');
