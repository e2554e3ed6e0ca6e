/** What a route says: an answer, or the reason why it refuses. */
export type Reply = Answer | Refusal;

export type Headers = Readonly<Record<string, string>>;

export type Content =
  | { readonly as: "json"; readonly value: unknown }
  | { readonly as: "text"; readonly type: string; readonly text: string }
  | { readonly as: "nothing" };

export interface Answer {
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

export function answer(status: number, value: unknown, headers: Headers = {}): Answer {
  return { is: "answer", status, content: { as: "json", value }, headers };
}

/** `type` is the media type. */
export function answerText(status: number, type: string, text: string, headers: Headers = {}): Answer {
  return { is: "answer", status, content: { as: "text", type, text }, headers };
}

export function answerNothing(status: number, headers: Headers = {}): Answer {
  return { is: "answer", status, content: { as: "nothing" }, headers };
}

/** The same answer with another status. A 204 has no body. */
export function withStatus(original: Answer, status: number): Answer {
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
