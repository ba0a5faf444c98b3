import { quote, type ReportFn } from '../../diagnostics/index.js';
import { enumOf, map, requireValue, string, type TomlDocument, table } from '../../toml/index.js';
import { type Json, parseJson } from '../../values/index.js';
import {
  checkDuration,
  type KindDraft,
  type KindFormat,
  kindEntry,
  type PlaceholderSite,
  siteOf,
  textsByName,
  timeoutEntry,
  timeoutOf,
  variableSites,
} from '../format-parts.js';
import { type Placeholders, placeholdersIn } from '../template.js';

/** An actuator that sends requests to the system's own control endpoint. */
export interface HttpActuator {
  readonly kind: 'http';
  readonly inject: HttpRequest;
  /** The reset request, which contains no placeholder. */
  readonly reset: HttpRequest;
  readonly placeholders: Placeholders;
  readonly timeoutMs: number;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

type Method = (typeof METHODS)[number];

export interface HttpRequest {
  readonly method: Method;
  /** An http or https URL template. Values must be percent-encoded, and cannot be part of the host. */
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: Json;
}

/** Returns a request's format, given the default method. */
export const requestFormat = (method: Method) =>
  table({
    method: {
      format: enumOf(METHODS),
      default: method,
      description: 'The HTTP method.',
    },
    url: {
      format: string({ nonEmpty: true }),
      required: true,
      description:
        'The http or https request URL. Placeholders are allowed in the path and the query; their values are percent-encoded.',
      example: 'http://127.0.0.1:9000/wind/{speed}',
    },
    headers: {
      format: map(string()),
      description:
        'Request headers. `{env:NAME}` in a value stands for an environment variable, which keeps secrets out of the file.',
    },
    body: {
      format: string(),
      description:
        "The body's JSON text. A string that is a single placeholder, such as `\"{speed}\"`, becomes the parameter's value, with the parameter's type.",
      example: '{"speed": "{speed}"}',
    },
  });

const format = table({
  kind: kindEntry('http', "Sends requests to the system's own control endpoint."),
  inject: {
    format: requestFormat('POST'),
    required: true,
    description: 'The inject request.',
  },
  reset: { format: requestFormat('POST'), required: true, description: 'The reset request.' },
  timeout: timeoutEntry,
});

export type HttpDraft = KindDraft<'http', typeof format>;
type RequestDraft = HttpDraft['keys']['inject'];

export const httpKind = {
  format,
  placeholdersOnly: true,
  read: ({ keys }, placeholders) => ({
    kind: 'http',
    inject: readRequest(keys.inject, 'POST'),
    reset: readRequest(keys.reset, 'POST'),
    placeholders,
    timeoutMs: timeoutOf(keys.timeout),
  }),
  checkValues(document, { path, keys }, report) {
    checkDuration(document, [...path, 'timeout'], keys.timeout, report);
    checkRequest(document, keys.inject, report, 'POST');
    checkRequest(document, keys.reset, report, 'POST');
  },
  sites: ({ keys }) => [
    ...requestSites(keys.inject, 'parameters'),
    ...requestSites(keys.reset, 'nothing'),
  ],
  secrets: ({ inject, reset }) => [...requestTexts(inject), ...requestTexts(reset)],
} satisfies KindFormat<HttpDraft, HttpActuator>;

/** Returns a request's texts with environment variables. */
export const requestTexts = ({ headers }: HttpRequest): string[] => [...headers.values()];

/** Converts a valid table to a request, given the default method. */
export function readRequest(draft: RequestDraft, defaultMethod: Method): HttpRequest {
  const { method, url, headers, body } = requireValue(draft).keys;
  return {
    method: method ?? defaultMethod,
    url: requireValue(url),
    headers: textsByName(headers),
    ...(body !== undefined && { body: readBody(body) }),
  };
}

function readBody(text: string): Json {
  const json = parseJson(text);
  return requireValue('value' in json ? json.value : undefined);
}

/** Returns a request's texts that may contain placeholders. */
export function requestSites(
  draft: RequestDraft,
  takes: PlaceholderSite['takes'],
): PlaceholderSite[] {
  if (draft === undefined) return [];
  const { path, keys } = draft;
  return [
    ...siteOf([...path, 'url'], keys.url, takes),
    ...variableSites(keys.headers),
    ...siteOf([...path, 'body'], keys.body, takes),
  ];
}

/** Reports mistakes in a request, given the default method. */
export function checkRequest(
  document: TomlDocument,
  draft: RequestDraft,
  report: ReportFn,
  defaultMethod: Method,
): void {
  if (draft === undefined) return;
  const { path, keys } = draft;
  const problem = keys.url === undefined ? undefined : urlProblem(keys.url);
  if (problem !== undefined) report({ ...problem, span: document.valueSpan([...path, 'url']) });
  for (const name of keys.headers?.entries.keys() ?? []) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) continue;
    report({
      message: `${quote(name)} is not a valid header name`,
      span: document.keySpan([...path, 'headers', name]),
    });
  }
  if (keys.body === undefined) return;
  if ((keys.method ?? defaultMethod) === 'GET') {
    report({
      message: 'a GET request cannot have a body',
      help: 'use another method, or remove the body',
      span: document.keySpan([...path, 'body']),
    });
  }
  const json = parseJson(keys.body);
  if ('problem' in json) {
    report({
      message: `the body is ${json.problem}`,
      ...(placeholdersIn(keys.body).length > 0 && {
        help: 'a placeholder must be in quotes, as "{name}"',
      }),
      span: document.valueSpan([...path, 'body']),
    });
  }
}

function urlProblem(url: string): { message: string; help?: string } | undefined {
  if (!/^https?:\/\//i.test(url)) {
    return {
      message: `${quote(url)} is not a URL with http:// or https://`,
      help: 'use the full URL, such as "http://127.0.0.1:9000/wind"',
    };
  }
  const [placeholder] = placeholdersIn(url);
  if (placeholder !== undefined && !/\/\/[^/?#]+[/?#]/.test(url.slice(0, placeholder.start))) {
    // Otherwise, any client with permission to inject could choose the host to contact.
    const help = "put placeholders in the URL's path or query";
    return { message: "a URL's host must not come from a parameter", help };
  }
  if (!URL.canParse(url)) return { message: `${quote(url)} has no valid host and port` };
  const { username, password } = new URL(url);
  if (username === '' && password === '') return undefined;
  const help = 'put the credentials in a header, as {env:NAME}';
  return { message: 'credentials do not belong in a URL', help };
}
