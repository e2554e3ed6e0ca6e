import type { Answer, Content } from "../reply.ts";

/** An answer as it goes out, with all of its headers but `Date`. */
export interface SerializedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly text: string;
}

export function serializeAnswer(answer: Answer): SerializedAnswer {
  const { type, text } = serializeContent(answer.content);
  return { status: answer.status, headers: answerHeaders(answer, type, text), text };
}

function answerHeaders(answer: Answer, type: string | undefined, text: string): Record<string, string | number> {
  const length = answer.status === 204 ? {} : { "content-length": Buffer.byteLength(text) };
  return { ...(type === undefined ? {} : { "content-type": type }), ...length, ...answer.headers };
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
