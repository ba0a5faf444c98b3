/** The probe of the events that Perturb adds to the sessions of runs. */
export const OWN_PROBE = 'perturb';
