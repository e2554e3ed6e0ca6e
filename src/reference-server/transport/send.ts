import type { ServerResponse } from "node:http";
import { pageOf } from "../dialect/tell-refusal.ts";
import { type Answer, answerText, type Content } from "../reply.ts";
import type { WayOut } from "./disturbance.ts";

/** Sends an answer, or what becomes of it on its way. */
export function send(response: ServerResponse, answer: Answer, way: WayOut = "sent"): void {
  switch (way) {
    case "sent":
      write(response, answer);
      return;
    case "reset":
      response.destroy();
      return;
    case "hang":
      return;
    case "half":
      writeHalf(response, answer);
      return;
    case "502":
    case "504": {
      const status = Number(way);
      write(response, answerText(status, "text/html; charset=utf-8", pageOf(status)));
      return;
    }
  }
}

/** An answer as it goes out, with all of its headers but `Date`. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly text: string;
}

export function writtenAnswer(answer: Answer): WrittenAnswer {
  const { type, text } = written(answer.content);
  return { status: answer.status, headers: headersOf(answer, type, text), text };
}

function write(response: ServerResponse, answer: Answer): void {
  const { status, headers, text } = writtenAnswer(answer);
  response.writeHead(status, headers);
  response.end(text);
}

function writeHalf(response: ServerResponse, answer: Answer): void {
  const { status, headers, text } = writtenAnswer(answer);
  response.writeHead(status, headers);
  response.flushHeaders();
  response.write(Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2)));
}

function headersOf(answer: Answer, type: string | undefined, text: string): Record<string, string | number> {
  const length = answer.status === 204 ? {} : { "content-length": Buffer.byteLength(text) };
  return { ...(type === undefined ? {} : { "content-type": type }), ...length, ...answer.headers };
}

function written(content: Content): { readonly type: string | undefined; readonly text: string } {
  switch (content.as) {
    case "json":
      return { type: "application/json; charset=utf-8", text: JSON.stringify(content.value) };
    case "text":
      return content;
    case "nothing":
      return { type: undefined, text: "" };
  }
}
