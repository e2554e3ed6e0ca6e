import type { Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import { type Exchange, type HttpRequest, openOrigin } from "../../../src/http/origin.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { type RawScript, rawServer } from "../../support/raw-server.ts";
import { repeated, testTextCases } from "../../support/text-cases.ts";

function shown(exchange: Exchange): string {
  if (exchange.is === "no-answer") return `${exchange.why}, ${exchange.sent ? "sent" : "not sent"}: ${exchange.cause}`;
  const odd = [...exchange.headers].filter(([name]) => name.startsWith("x-")).map((header) => header.join("="));
  return [exchange.status, ...odd, JSON.stringify(exchange.body)].join(" ");
}

async function exchangeOf(script: RawScript, request: HttpRequest): Promise<string> {
  const server = await rawServer(script, onTestFinished);
  const limits = { connections: 1, timeout: 5000, largestAnswer: 1000, clock: timerBy() };
  const opened = openOrigin({ origin: server.origin, ...limits });
  onTestFinished(() => opened.close());
  const told = shown(await opened.send(request));
  expect(server.seen.length).toBe(1);
  return told;
}

const requests: readonly HttpRequest[] = [
  { method: "GET", path: "/", headers: {}, onceSent: "cut-off" },
  { method: "POST", path: "/", headers: {}, body: "{}", onceSent: "let-end" },
  { method: "PUT", path: "/", headers: { "if-match": "x" }, body: "é", onceSent: "let-end" },
  { method: "DELETE", path: "/", headers: {}, body: "{}", onceSent: "let-end" },
];

function say(socket: Socket, text: string, then: "stay" | "end" | "reset"): void {
  if (then === "end") socket.end(text);
  else if (then === "stay") socket.write(text);
  // What was written must have been read before the reset: seen together, the two are taken for an end.
  else socket.write(text, () => setTimeout(() => setImmediate(() => socket.resetAndDestroy()), 20));
}

/** The bytes that a line of `answers.txt` stands for. */
function written(text: string): string {
  return repeated(text).replaceAll("∅", "").replaceAll("¶", "\r\n").replaceAll("↓", "\n").replaceAll("␀", "\0");
}

/** The same is told of an answer, whatever was asked, and nothing is sent again. */
testTextCases(new URL("./answers.txt", import.meta.url), async (_, [answer = "", then = ""]) => {
  const told = new Set<string>();
  for (const request of requests) {
    told.add(await exchangeOf((socket) => say(socket, written(answer), then as "stay" | "end" | "reset"), request));
  }
  return [...told].join(" / ");
});
