/** Whether a replica stores an entry that another one has sent. */
export function accepts(held, entry) {
  return held === undefined || held.version < entry.version;
}
