/** Whether a replica stores an entry that another one has sent. */
export function accepts(_held, _entry) {
  return true;
}
