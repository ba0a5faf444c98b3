/*
 * What is measured starts in this environment. Further certificates would make
 * every start of Node longer, and so bring each ratio nearer to one.
 */
const { NODE_EXTRA_CA_CERTS: _certificates, ...others } = process.env;

export const environment = others;
