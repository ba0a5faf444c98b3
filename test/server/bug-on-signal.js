/* Loaded into the program before it starts: a signal that it does not know of is a bug in it. */
process.on('SIGUSR2', () => {
  throw new Error('a bug');
});
