import { STATUS_CODES } from "node:http";
import type { Knobs } from "../knobs.ts";
import type { Answer, Content, Refusal } from "../reply.ts";

/** What an error body may tell besides the refusal itself. */
export interface RefusalContext {
  readonly path: string;
  /** ISO 8601. */
  readonly at: string;
  readonly reportErrorUrl: string;
}

/** A refusal in the shape that every refusal of this service has. */
export function refusalResponse(knobs: Knobs, refusal: Refusal, circumstances: RefusalContext): Answer {
  const status = knobs.errorStatus === "own" ? refusal.status : 200;
  return {
    is: "answer",
    status,
    content: refusalContent(knobs.error, refusal, circumstances),
    headers: refusal.headers,
  };
}

function refusalContent(
  kind: Knobs["error"],
  { status, message }: Refusal,
  { path, at, reportErrorUrl }: RefusalContext,
): Content {
  const phrase = STATUS_CODES[status] ?? "Error";
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
      return json({ error: { code: errorCode(phrase), message } });
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
      return json({ success: false, data: null, error: { code: errorCode(phrase), message } });
  }
}

/** What something in between says in the place of the service. */
export function htmlErrorPage(status: number, phrase: string = STATUS_CODES[status] ?? "Error"): string {
  return `<html><head><title>${status} ${phrase}</title></head><body><h1>${status} ${phrase}</h1></body></html>\n`;
}

function json(value: unknown): Content {
  return { as: "json", value };
}

function errorCode(phrase: string): string {
  return phrase.toLowerCase().replaceAll(/[^a-z]+/gu, "_");
}
