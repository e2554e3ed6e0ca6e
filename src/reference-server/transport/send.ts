import type { ServerResponse } from "node:http";
import { htmlErrorPage } from "../dialect/tell-refusal.ts";
import { type Answer, answerText } from "../reply.ts";
import type { Delivery } from "./disturbance.ts";
import { serializeAnswer } from "./written-answer.ts";

/** Sends an answer, or what becomes of it on its way. */
export function sendAnswer(response: ServerResponse, answer: Answer, way: Delivery = "sent"): void {
  switch (way) {
    case "sent":
      writeAnswer(response, answer);
      return;
    case "reset":
      response.destroy();
      return;
    case "hang":
      return;
    case "half":
      writeHalfAnswer(response, answer);
      return;
    case "502":
    case "504": {
      const status = Number(way);
      writeAnswer(response, answerText(status, "text/html; charset=utf-8", htmlErrorPage(status)));
      return;
    }
  }
}

function writeAnswer(response: ServerResponse, answer: Answer): void {
  const { status, headers, text } = serializeAnswer(answer);
  response.writeHead(status, headers);
  response.end(text);
}

function writeHalfAnswer(response: ServerResponse, answer: Answer): void {
  const { status, headers, text } = serializeAnswer(answer);
  response.writeHead(status, headers);
  response.flushHeaders();
  response.write(Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2)));
}
