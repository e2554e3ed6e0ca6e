import { STATUS_CODES } from "node:http";
import type { Knobs } from "../knobs/registry.ts";

/** What a route says: an answer, or the reason why it refuses. */
export type Reply = ServedAnswer | Refusal;

export type Headers = Readonly<Record<string, string>>;

type Content =
  | { readonly as: "json"; readonly value: unknown }
  | { readonly as: "text"; readonly type: string; readonly text: string }
  | { readonly as: "nothing" };

export interface ServedAnswer {
  readonly is: "answer";
  readonly status: number;
  readonly content: Content;
  readonly headers: Headers;
}

export interface Refusal {
  readonly is: "refusal";
  readonly status: number;
  readonly message: string;
  readonly headers: Headers;
}

export function answer(status: number, value: unknown, headers: Headers = {}): ServedAnswer {
  return { is: "answer", status, content: { as: "json", value }, headers };
}

/** `type` is the media type. */
export function answerText(status: number, type: string, text: string, headers: Headers = {}): ServedAnswer {
  return { is: "answer", status, content: { as: "text", type, text }, headers };
}

export function answerNothing(status: number, headers: Headers = {}): ServedAnswer {
  return { is: "answer", status, content: { as: "nothing" }, headers };
}

/** The same answer with another status. A 204 has no body. */
export function withStatus(original: ServedAnswer, status: number): ServedAnswer {
  return status === 204 ? answerNothing(status, original.headers) : { ...original, status };
}

export function refuse(status: number, message: string, headers: Headers = {}): Refusal {
  return { is: "refusal", status, message, headers };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "is" in value && value.is === "refusal";
}

/** A value of the request as it is named in a message: quoted, bounded, on one line. */
export function quoted(value: string): string {
  const bounded = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return JSON.stringify(bounded);
}

/** A refusal in the shape that every refusal of this service has. `at` is in ISO 8601. */
export function refusalResponse(
  knobs: Knobs,
  refusal: Refusal,
  asked: { readonly path: string; readonly at: string; readonly reportErrorUrl: string },
): ServedAnswer {
  const status = knobs.errorStatus === "own" ? refusal.status : 200;
  return { is: "answer", status, content: refusalContent(knobs.error, refusal, asked), headers: refusal.headers };
}

function refusalContent(
  kind: Knobs["error"],
  { status, message }: Refusal,
  { path, at, reportErrorUrl }: Parameters<typeof refusalResponse>[2],
): Content {
  const phrase = STATUS_CODES[status] ?? "Error";
  const code = phrase.toLowerCase().replaceAll(/[^a-z]+/gu, "_");
  switch (kind) {
    case "X1":
      return json({ statusCode: status, status: phrase, message, reportErrorUrl });
    case "X2":
      return json({ timestamp: at.replace("Z", "+00:00"), status, error: phrase, message: "", path });
    case "X3": {
      const errors = [{ pointer: "#", detail: message }];
      const body = { type: "about:blank", title: phrase, status, detail: message, errors };
      return { as: "text", type: "application/problem+json", text: JSON.stringify(body) };
    }
    case "X4":
      return json({ error: { code: code, message } });
    case "X5":
      return json({ errorMessage: message });
    case "X6": {
      const schemas = ["urn:ietf:params:scim:api:messages:2.0:Error"];
      const scimType = status === 409 ? { scimType: "uniqueness" } : {};
      return json({ schemas, ...scimType, status: String(status), detail: message });
    }
    case "X7":
      return { as: "text", type: "text/html; charset=utf-8", text: htmlErrorPage(status, phrase) };
    case "X8":
      return { as: "nothing" };
    case "X9":
      return { as: "text", type: "text/plain; charset=utf-8", text: message };
    case "X10":
      return json({ success: false, data: null, error: { code: code, message } });
  }
}

/** What something in between says in the place of the service. */
export function htmlErrorPage(status: number, phrase: string = STATUS_CODES[status] ?? "Error"): string {
  return `<html><head><title>${status} ${phrase}</title></head><body><h1>${status} ${phrase}</h1></body></html>\n`;
}

function json(value: unknown): Content {
  return { as: "json", value };
}

/** An answer as it goes out, with all of its headers but `Date`. */
export function serializeAnswer({ content, headers, status }: ServedAnswer): {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly text: string;
} {
  const { type, text } = serializeContent(content);
  const length = status === 204 ? {} : { "content-length": Buffer.byteLength(text) };
  return { status, headers: { ...(type === undefined ? {} : { "content-type": type }), ...length, ...headers }, text };
}

function serializeContent(content: Content): { readonly type: string | undefined; readonly text: string } {
  switch (content.as) {
    case "json":
      return { type: "application/json; charset=utf-8", text: JSON.stringify(content.value) };
    case "text":
      return content;
    case "nothing":
      return { type: undefined, text: "" };
  }
}

/** A parameter's one value, undefined where it is not given, a 400 where it is given twice. */
export function singleValue(query: URLSearchParams, name: string): string | undefined | Refusal {
  const values = query.getAll(name);
  if (values.length > 1) return badParameter(name, values.join(", "), "is given more than once");
  return values[0];
}

/** A 400 that names the parameter, its value and what is wrong with it. */
export function badParameter(name: string, value: string, problem: string): Refusal {
  return refuse(400, `The query parameter ${name} ${problem}: ${quoted(value)}`);
}
