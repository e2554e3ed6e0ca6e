import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openOrigin } from "../../../src/http/origin.ts";
import type { Exchange, HttpRequest } from "../../../src/http/sending.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { type RawScript, rawServer } from "../../support/raw-server.ts";

/** What came, in a line. */
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

const early = "unreachable, sent: the connection was closed before the answer was complete";
const reset = "unreachable, sent: the connection was reset";
const noHttp = "unreachable, sent: the answer is not valid HTTP";
const wrongLength = "unreachable, sent: the answer does not have the length that it declares";
const tooLarge = "unreachable, sent: the answer's headers are too large";

const lines = (...all: readonly string[]) => `${all.join("\r\n")}\r\n`;
const ok = lines("HTTP/1.1 200 OK", "content-length: 2", "", "{}").slice(0, -2);

const answers: readonly (readonly [name: string, answer: string, then: "stay" | "end" | "reset", told: string])[] = [
  ["whole", ok, "stay", '200 "{}"'],
  ["whole, and the end of the connection", ok, "end", '200 "{}"'],
  ["nothing", "", "end", early],
  ["nothing, and a reset", "", "reset", reset],
  ["a part of the status line", "HTTP/1.1 2", "end", early],
  ["a status line", lines("HTTP/1.1 200 OK"), "end", early],
  ["a head without its end", lines("HTTP/1.1 200 OK", "content-length: 2"), "end", early],
  ["a head alone", lines("HTTP/1.1 200 OK", "content-length: 2", ""), "end", early],
  ["a head alone, and a reset", lines("HTTP/1.1 200 OK", "content-length: 2", ""), "reset", reset],
  ["a part of its body", lines("HTTP/1.1 200 OK", "content-length: 20", "", "{}"), "end", early],
  ["a part of its body, and a reset", lines("HTTP/1.1 200 OK", "content-length: 20", "", "{}"), "reset", reset],
  ["a part of its chunks", lines("HTTP/1.1 200 OK", "transfer-encoding: chunked", "", "2", "{}"), "end", early],
  ["a bad chunk", lines("HTTP/1.1 200 OK", "transfer-encoding: chunked", "", "zz", "{}"), "stay", noHttp],
  ["a chunk that is too long", lines("HTTP/1.1 200 OK", "transfer-encoding: chunked", "", "1", "{}"), "stay", noHttp],
  ["no length", lines("HTTP/1.1 200 OK", "", "{}"), "end", '200 "{}\\r\\n"'],
  ["no length, in HTTP/1.0", lines("HTTP/1.0 200 OK", "", "{}"), "end", '200 "{}\\r\\n"'],
  ["two lengths", lines("HTTP/1.1 200 OK", "content-length: 2", "content-length: 3", "", "{}"), "stay", wrongLength],
  ["a length that is none", lines("HTTP/1.1 200 OK", "content-length: two", "", "{}"), "stay", noHttp],
  ["a negative length", lines("HTTP/1.1 200 OK", "content-length: -2", "", "{}"), "stay", noHttp],
  ["a huge header", lines("HTTP/1.1 200 OK", `x: ${"y".repeat(20_000)}`, "", ""), "stay", tooLarge],
  ["an informational answer before it", lines("HTTP/1.1 102 Processing", "x-a: b", "") + ok, "stay", '200 "{}"'],
  ["two of them", lines("HTTP/1.1 103 Early Hints", "", "HTTP/1.1 103 Early Hints", "") + ok, "stay", '200 "{}"'],
  ["a request to go on", lines("HTTP/1.1 100 Continue", "") + ok, "stay", noHttp],
  [
    "another protocol",
    lines("HTTP/1.1 101 Switching Protocols", "connection: upgrade", "upgrade: x", ""),
    "stay",
    noHttp,
  ],
  ["204 without a body", lines("HTTP/1.1 204 No Content", ""), "stay", '204 ""'],
  ["line ends without a return", "HTTP/1.1 200 OK\ncontent-length: 2\n\n{}", "stay", noHttp],
  ["a redirect", lines("HTTP/1.1 307 Go", "location: /x", "content-length: 0", ""), "stay", '307 ""'],
  ["no reason phrase", lines("HTTP/1.1 200", "content-length: 2", "", "{}"), "stay", '200 "{}"'],
  ["a status of two digits", lines("HTTP/1.1 20 OK", "content-length: 2", "", "{}"), "stay", noHttp],
  ["an unknown version", lines("HTTP/3.7 200 OK", "content-length: 2", "", "{}"), "stay", noHttp],
  ["an empty header", lines("HTTP/1.1 200 OK", "x-a:", "content-length: 0", ""), "stay", '200 x-a= ""'],
  [
    "headers of one name",
    lines("HTTP/1.1 200 OK", "X-A: 1", "x-a: 2", "X-a: 3", "content-length: 0", ""),
    "stay",
    '200 x-a=1, 2, 3 ""',
  ],
  ["a header that is not ASCII", lines("HTTP/1.1 200 OK", "x-a: é", "content-length: 0", ""), "stay", '200 x-a=Ã© ""'],
  ["a NUL in a header", lines("HTTP/1.1 200 OK", "x-a: \0", "content-length: 0", ""), "stay", noHttp],
  ["a space before the colon", lines("HTTP/1.1 200 OK", "x-a : 1", "content-length: 0", ""), "stay", noHttp],
  ["a header without a name", lines("HTTP/1.1 200 OK", ": 1", "content-length: 0", ""), "stay", noHttp],
  [
    "trailers",
    lines("HTTP/1.1 200 OK", "transfer-encoding: chunked", "", "2", "{}", "0", "x-a: 1", ""),
    "stay",
    '200 "{}"',
  ],
  ["a page of plain text", lines("not HTTP at all"), "end", noHttp],
];

test.each(answers)("%s: the same is told of it, whatever was asked", async (_name, answer, then, told) => {
  for (const request of requests) {
    const came = await exchangeOf((socket) => say(socket, answer, then), request);
    expect([request.method, came]).toEqual([request.method, told]);
  }
});

/** Such a status has no body: what follows is not taken for an answer. */
test.each([
  ["204 with a body", lines("HTTP/1.1 204 No Content", "content-length: 2", "", "{}"), '204 ""'],
  ["304 with a length", lines("HTTP/1.1 304 Not Modified", "content-length: 2", ""), '304 ""'],
])("%s has no body", async (_name, answer, told) => {
  for (const request of requests) {
    expect(await exchangeOf((socket) => say(socket, answer, "stay"), request)).toBe(told);
  }
});

function say(socket: Socket, text: string, then: "stay" | "end" | "reset"): void {
  if (then === "end") socket.end(text);
  else if (then === "stay") socket.write(text);
  // What was written before must arrive before the reset.
  else socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20));
}

test("drops no header, so that none can hide behind many", async () => {
  const many = Array.from({ length: 1500 }, () => "a: 1");
  const answer = lines("HTTP/1.1 200 OK", ...many, "content-encoding: gzip", "content-length: 2", "", "{}");
  const [get] = requests;
  if (get === undefined) throw new Error("no request");
  expect(await exchangeOf((socket) => say(socket, answer, "stay"), get)).toBe(
    "unreadable, sent: the answer is compressed (gzip), but roster requested it uncompressed",
  );
});
