import { STATUS_CODES } from "node:http";
import type { Knobs } from "../knobs/registry.ts";

export type Headers = Readonly<Record<string, string>>;

/** An answer as it goes out, but for its length and `Date`. */
export interface ServedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The reason why a request is not done. Thrown by whatever finds it. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Headers;

  constructor(status: number, message: string, headers: Headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export function answer(status: number, value: unknown, headers: Headers = {}): ServedAnswer {
  return answerText(status, "application/json; charset=utf-8", JSON.stringify(value), headers);
}

export function answerText(status: number, type: string, text: string, headers: Headers = {}): ServedAnswer {
  return { status, headers: { "content-type": type, ...headers }, text };
}

export function answerNothing(status: number, headers: Headers = {}): ServedAnswer {
  return { status, headers, text: "" };
}

/** The same answer with another status. A 204 has no body. */
export function withStatus(original: ServedAnswer, status: number): ServedAnswer {
  const { "content-type": _, ...headers } = original.headers;
  return status === 204 ? answerNothing(status, headers) : { ...original, status };
}

/** A value of the request as it is named in a message: quoted, bounded, on one line. */
export function quoted(value: string): string {
  const bounded = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return JSON.stringify(bounded);
}

/** A refusal in the shape that every refusal of this service has. `now` is in milliseconds since the epoch. */
export function answerRefusal(
  knobs: Knobs,
  { status, message, headers }: Refusal,
  asked: { readonly path: string; readonly now: number; readonly reportErrorUrl: string },
): ServedAnswer {
  const shown = knobs.errorStatus === "own" ? status : 200;
  const json = (value: unknown) => answer(shown, value, headers);
  const phrase = STATUS_CODES[status] ?? "Error";
  const code = phrase.toLowerCase().replaceAll(/[^a-z]+/gu, "_");
  switch (knobs.error) {
    case "X1":
      return json({ statusCode: status, status: phrase, message, reportErrorUrl: asked.reportErrorUrl });
    case "X2": {
      const timestamp = new Date(asked.now).toISOString().replace("Z", "+00:00");
      return json({ timestamp, status, error: phrase, message: "", path: asked.path });
    }
    case "X3": {
      const errors = [{ pointer: "#", detail: message }];
      const body = { type: "about:blank", title: phrase, status, detail: message, errors };
      return answerText(shown, "application/problem+json", JSON.stringify(body), headers);
    }
    case "X4":
      return json({ error: { code, message } });
    case "X5":
      return json({ errorMessage: message });
    case "X6": {
      const schemas = ["urn:ietf:params:scim:api:messages:2.0:Error"];
      const scimType = status === 409 ? "uniqueness" : undefined;
      return json({ schemas, scimType, status: String(status), detail: message });
    }
    case "X7":
      return { ...answerErrorPage(status, headers), status: shown };
    case "X8":
      return answerNothing(shown, headers);
    case "X9":
      return answerText(shown, "text/plain; charset=utf-8", message, headers);
    case "X10":
      return json({ success: false, data: null, error: { code, message } });
  }
}

/** What something in between says in the place of the service. */
export function answerErrorPage(status: number, headers: Headers = {}): ServedAnswer {
  const title = `${status} ${STATUS_CODES[status] ?? "Error"}`;
  const page = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return answerText(status, "text/html; charset=utf-8", page, headers);
}

/** A parameter's one value, undefined where it is not given, a 400 where it is given twice. */
export function singleValue(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw badParameter(name, values.join(", "), "is given more than once");
  return values[0];
}

/** A 400 that names the parameter, its value and what is wrong with it. */
export function badParameter(name: string, value: string, problem: string): Refusal {
  return new Refusal(400, `The query parameter ${name} ${problem}: ${quoted(value)}`);
}
