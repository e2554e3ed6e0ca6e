import { createSecureContext, type SecureContext } from "node:tls";
import type buildConnector from "undici/lib/core/connect.js";
import { certificateProblem, shownCertificate } from "./certificate.ts";
import type { Connector, ConnectorOptions } from "./connector.ts";
import { ConnectionFailure, codeOf, explainConnectionError } from "./failure.ts";
import type { ProxyServer } from "./proxy.ts";

/** Makes connections over TLS with `build`, through a proxy where there is one. */
export function secureConnector(options: ConnectorOptions, build: typeof buildConnector): Connector {
  const { proxy, ca, timeout, refused, opening } = options;
  const trust = { timeout, ...(ca === undefined ? {} : { secureContext: trusting(ca) }) };
  const connect = build(trust);
  return (target, callback) => {
    if (proxy === undefined) secure({ connect, refused, opening }, target, callback);
    else void throughTunnel({ proxy, connect, refused, opening, trust }, target, callback);
  };
}

/** Node's own authorities, or those of the system where Node is set so, and these. */
function trusting(authorities: readonly string[]): SecureContext {
  const trust = createSecureContext();
  for (const certificate of authorities) trust.context.addCACert(certificate);
  return trust;
}

interface Securing extends Pick<ConnectorOptions, "refused" | "opening"> {
  readonly connect: ReturnType<typeof buildConnector>;
  /** Said after what went wrong. */
  readonly way?: string;
}

interface Tunnelling extends Securing {
  readonly proxy: ProxyServer;
  readonly trust: Parameters<typeof buildConnector>[0];
}

type Target = Parameters<Connector>[0];
type Callback = Parameters<Connector>[1];

/** The TLS handshake is with the origin: the proxy sees its name and nothing else. */
async function throughTunnel({ proxy, trust, ...securing }: Tunnelling, target: Target, callback: Callback) {
  const { openTunnel } = await import("./tunnel.ts");
  const tunnel = await openTunnel(proxy, target, { ...trust, opening: securing.opening });
  if (!tunnel.ok) return callback(new ConnectionFailure(tunnel.error));
  const way = `, through the proxy ${proxy.shown}`;
  secure({ ...securing, way }, { ...target, httpSocket: tunnel.value }, callback);
}

function secure({ connect, refused, opening, way = "" }: Securing, target: Target, callback: Callback): void {
  const socket = connect(target, (error, connected) => {
    opening.delete(socket);
    if (error !== null) {
      const untrusted = certificateProblem(codeOf(error), target.hostname, seen.certificate);
      const { cause, ...rest } = untrusted ?? explainConnectionError(error);
      return callback(new ConnectionFailure({ ...rest, cause: `${cause}${way}` }));
    }
    callback(null, connected);
    // In TLS 1.3 a server may refuse a client after the handshake, and all that undici tells is that the connection ended.
    connected?.on("error", (alert) => {
      const why = explainConnectionError(alert);
      if (why.lasts === true && /_ALERT_/u.test(codeOf(alert) ?? "")) refused(why);
    });
  });
  opening.add(socket);
  const seen = shownCertificate(socket);
}
