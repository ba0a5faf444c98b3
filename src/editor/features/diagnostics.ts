import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver/node';
import { rangeOf, type View } from '../view.js';

/** Where the page of a rule is, by its id. */
export type RulePage = (id: string) => string | undefined;

/** The findings of a document as the client shows them. */
export function diagnosticsOf(view: View, pageOf: RulePage): Diagnostic[] {
  const { uri, snapshot } = view;
  return snapshot.findings.map(({ rule, severity, message, help, span, related }) => {
    const page = pageOf(rule);
    return {
      range: rangeOf(view, span),
      severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
      source: 'perturb',
      code: rule,
      ...(page !== undefined && { codeDescription: { href: page } }),
      message: help === undefined ? message : `${message}\n${help}`,
      ...(related !== undefined && {
        relatedInformation: related.map((place) => ({
          location: { uri, range: rangeOf(view, place.span) },
          message: place.message,
        })),
      }),
    };
  });
}
