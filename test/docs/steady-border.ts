/**
 * A text in which the border of a fault has steady values, because the border depends on how busy the machine is. On a
 * busy machine, the last order may also be unhandled when the command ends.
 */
export function withSteadyBorder(text: string): string {
  return text
    .replace(
      /^(perturb: attempt 1 failed: handled at WAREHOUSE once for each id); every sent at SHOP .*$/m,
      '$1',
    )
    .replace(
      /^(?:From|With) .*\bwarehouse delay\b.*, ("[^"]+" fails)[^;\n]*; at worst, handled came .*$/m,
      'From 1020 ms of warehouse delay on, $1; at worst, handled came twice for id 1, wanted once.',
    )
    .replace(
      /^(It fails with \S+-delay-ms value=)\d+ \(\d+ of \d+ times\)\.\n(\S+ value) .*\.$/m,
      (_, begin, title) =>
        `${begin}1031 (5 of 5 times).\n${title} begins to fail between 960 and 1020 (97 %); it never failed from 0 to 937, in 11 attempts.`,
    )
    .replace(
      /^(?:From|With) .*\bproxy latency\b.*, ("[^"]+" fails)[^;\n]*(; at worst, charge came)?.*$/m,
      (_, fails, worst) =>
        `With proxy latency delay at 756 ms and with proxy latency share at 96.05 %, ${fails}${worst === undefined ? '' : `${worst} twice for order.id '4d91c0aa', wanted once`}.`,
    )
    .replace(
      /^(It fails with (proxy-latency) )delay=.*\n(?:proxy-latency .*\n)+/m,
      '$1delay=756 jitter=0 direction=from share=96.05 (5 of 5 times).\n$2 delay matters, but its threshold is unclear: perhaps between 1 and 800 ms.\n$2 share matters, but its threshold is unclear: perhaps between 1 and 100 %.\n',
    );
}
