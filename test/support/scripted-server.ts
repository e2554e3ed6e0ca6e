import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { receive, type SeenS3Request } from "./small-s3.ts";

export interface SeenRequest extends Omit<SeenS3Request, "body"> {
  /** Parsed; `undefined` without a body. */
  readonly body: unknown;
}

/** What the script says to a request: an answer, or one of the ways in which none comes. */
export type Scripted =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  | "hang"
  | "reset"
  | "cut-short";

export type ScriptedServer = Awaited<ReturnType<typeof scriptedServer>>;

/** Answers as the script says, request by request; a list is played in order and its last entry stays. */
export async function scriptedServer(
  script: readonly Scripted[] | ((request: SeenRequest, index: number) => Scripted),
) {
  const seen: SeenRequest[] = [];
  const play =
    typeof script === "function"
      ? script
      : (_: SeenRequest, index: number) => script[Math.min(index, script.length - 1)] ?? { status: 404, json: {} };
  const server = createServer(async (incoming, response) => {
    const { body, ...head } = await receive(incoming);
    const request = { ...head, body: body === "" ? undefined : JSON.parse(body) };
    seen.push(request);
    answer(play(request, seen.length - 1), response);
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = new URL(`http://127.0.0.1:${port}`);
  return { endpoint, seen, connections: () => connections, close: () => close(server) };
}

export async function closedEndpoint(): Promise<URL> {
  const server = await scriptedServer([]);
  await server.close();
  return server.endpoint;
}

function answer(scripted: Scripted, response: ServerResponse): void {
  if (scripted === "hang") return;
  if (scripted === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (scripted === "cut-short") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('[{"identifier":', () => response.socket?.destroy());
    return;
  }
  const text = "text" in scripted ? scripted.text : JSON.stringify(scripted.json);
  const type = "text" in scripted ? "text/plain" : "application/json";
  response.writeHead(scripted.status ?? 200, { "content-type": type, ...scripted.headers });
  response.end(text);
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
