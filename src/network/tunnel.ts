import { type ClientRequest, request } from "node:http";
import { connect as connectPlainly, isIP, isIPv6, type Socket } from "node:net";
import { connect as connectSecurely, type SecureContext } from "node:tls";
import { problem, type Result, success } from "../model/result.ts";
import { certificateProblem, shownCertificate } from "./certificate.ts";
import { type ConnectionProblem, codeOf, explainConnectionError } from "./failure.ts";
import type { ProxyServer } from "./proxy.ts";

interface TunnelOptions {
  /** Milliseconds until the tunnel stands. */
  readonly timeout: number;
  readonly secureContext?: SecureContext;
  /** Holds the connection to the proxy until the tunnel stands. */
  readonly opening: Set<Socket>;
}

/**
 * Asks a proxy for a tunnel to a host (CONNECT). It receives the host, the port and its own credentials, and nothing of any
 * request. What goes wrong is reported as the proxy's.
 */
export function openTunnel(
  proxy: ProxyServer,
  target: { readonly hostname: string; readonly port: string },
  options: TunnelOptions,
): Promise<Result<Socket, ConnectionProblem>> {
  const { hostname, port } = target;
  const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port === "" ? "443" : port}`;
  const toProxy = connectTo(proxy, options);
  const shown = shownCertificate(toProxy);
  options.opening.add(toProxy);
  return new Promise((resolve) => {
    const asked = ask(proxy, authority, toProxy);
    const timer = setTimeout(() => giveUp(silent(proxy, options.timeout)), options.timeout);
    const end = (result: Result<Socket, ConnectionProblem>): void => {
      clearTimeout(timer);
      options.opening.delete(toProxy);
      resolve(result);
    };
    const giveUp = (trouble: ConnectionProblem): void => {
      end(problem(trouble));
      toProxy.destroy();
    };
    asked.on("error", (error) => {
      const untrusted = certificateProblem(codeOf(error), proxy.hostname, shown.certificate);
      giveUp(
        unreachable(proxy, untrusted ?? { ...explainConnectionError(error), hint: "Check the address of the proxy" }),
      );
    });
    asked.on("connect", ({ statusCode = 0 }, _socket, head) => {
      if (statusCode < 200 || statusCode > 299) return giveUp(refused(proxy, statusCode));
      if (head.length > 0) toProxy.unshift(head);
      end(success(toProxy));
    });
    asked.end();
  });
}

function connectTo({ hostname: host, port, protocol }: ProxyServer, { secureContext }: TunnelOptions): Socket {
  if (protocol === "http:") return connectPlainly({ host, port });
  const trust = secureContext === undefined ? {} : { secureContext };
  return connectSecurely({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...trust });
}

function ask({ authorization }: ProxyServer, authority: string, socket: Socket): ClientRequest {
  const headers = {
    host: authority,
    connection: "keep-alive",
    "user-agent": "roster",
    ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
  };
  return request({ method: "CONNECT", path: authority, headers, createConnection: () => socket });
}

function refused({ shown, authorization }: ProxyServer, status: number): ConnectionProblem {
  const said = `the proxy ${shown} refuses the connection (${status})`;
  if (status !== 407)
    return { cause: said, hint: "Check that the proxy may connect to this host and port", ...lasting(status) };
  const why =
    authorization === undefined ? "requires a user name and a password" : "rejects the user name and the password";
  return { cause: `${said}: it ${why}`, hint: credentials, lasts: true };
}

const credentials = "Write them in the address of the proxy: http://NAME:PASSWORD@proxy.example:3128";

/** A proxy that cannot reach a host now may reach it later. */
function lasting(status: number): { readonly lasts?: true } {
  return status >= 500 || status === 429 ? {} : { lasts: true };
}

function silent({ shown }: ProxyServer, timeout: number): ConnectionProblem {
  return { cause: `the proxy ${shown} did not connect within ${timeout / 1000} s` };
}

function unreachable({ shown }: ProxyServer, { cause, ...rest }: ConnectionProblem): ConnectionProblem {
  return { ...rest, cause: `the proxy ${shown} cannot be reached: ${cause}` };
}
