/* Prints what a list of objectives shows, as JSON. */
import Sqlite from 'libsql';

const [, , file = ''] = process.argv;
const rows = new Sqlite(file)
  .prepare(
    `select o.name, r.revision, r.id, r.sha256, r.created_at, r.measurements, r.mutators, r.stop
     from perturb_objectives o
     join perturb_revisions r on r.objective_id = o.id and r.revision = o.revision
     where o.deleted_at is null
     order by o.name`,
  )
  .all();
process.stdout.write(JSON.stringify(rows));
