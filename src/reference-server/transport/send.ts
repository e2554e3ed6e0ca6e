import type { ServerResponse } from "node:http";
import { pageOf } from "../dialect/tell-refusal.ts";
import { type Answer, answerText } from "../reply.ts";
import type { WayOut } from "./disturbance.ts";
import { writtenAnswer } from "./written-answer.ts";

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
