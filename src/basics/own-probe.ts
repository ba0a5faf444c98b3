/** The probe of events that Perturb adds to a run's sessions. */
export const OWN_PROBE = 'perturb';
