import { lookup } from "node:dns";
import { createSecureContext, type SecureContext } from "node:tls";
import buildConnector from "undici/lib/core/connect.js";
import { certificateTrouble } from "./certificate-trouble.ts";
import { ConnectionFailure } from "./connection-failure.ts";
import { codeOf, type Trouble, troubleOf } from "./connection-trouble.ts";
import { isThisMachine, lookUpThisMachine } from "./look-up-this-machine.ts";
import type { ProxyServer } from "./proxy-server.ts";
import { shownCertificate } from "./shown-certificate.ts";

/** How an origin is reached. */
export interface Way {
  /** Without one, the origin is reached directly. */
  readonly proxy?: ProxyServer;
  /** Certificates (PEM) of authorities that are trusted beside those that Node brings along. */
  readonly ca?: readonly string[];
}

type Connect = ReturnType<typeof buildConnector>;
type Target = Parameters<Connect>[0];
type Callback = Parameters<Connect>[1];

export interface ConnectorOptions extends Way {
  /** Milliseconds for one connection. */
  readonly timeout: number;
  /** Is told why the other end refuses a connection that stood already, as it does for want of a client certificate. */
  readonly refused: (why: Trouble) => void;
}

/** Makes connections on which a request can be sent. */
export function connectorFor(options: ConnectorOptions): (target: Target, callback: Callback) => void {
  const { proxy, ca, timeout, refused } = options;
  const trust = { timeout, ...(ca === undefined ? {} : { secureContext: trusting(ca) }) };
  const connectHere = buildConnector({ timeout, lookup: lookUpThisMachine(lookup) });
  const connect = buildConnector(trust);
  return (target, callback) => {
    if (target.protocol === "http:") {
      if (isThisMachine(target.hostname)) connectHere(target, callback);
      else callback(new ConnectionFailure(unencrypted));
    } else if (proxy === undefined) {
      secure({ connect, refused }, target, callback);
    } else {
      void throughTunnel({ proxy, connect, refused, trust }, target, callback);
    }
  };
}

const unencrypted: Trouble = {
  cause: "it would be reached without encryption: http:// is for this machine alone",
  lasts: true,
};

/** The authorities that Node brings along, or the system where Node is told so, and these. */
function trusting(authorities: readonly string[]): SecureContext {
  const trust = createSecureContext();
  for (const certificate of authorities) trust.context.addCACert(certificate);
  return trust;
}

interface Securing extends Pick<ConnectorOptions, "refused"> {
  readonly connect: Connect;
  /** Said after what went wrong. */
  readonly way?: string;
}

interface Tunnelling extends Securing {
  readonly proxy: ProxyServer;
  readonly trust: Parameters<typeof buildConnector>[0];
}

/** The TLS handshake is with the origin: the proxy sees its name and nothing else. */
async function throughTunnel({ proxy, trust, ...securing }: Tunnelling, target: Target, callback: Callback) {
  const { openTunnel } = await import("./tunnel.ts");
  const tunnel = await openTunnel(proxy, target, trust);
  if (!tunnel.ok) return callback(new ConnectionFailure(tunnel.error));
  const way = `, through the proxy ${proxy.shown}`;
  secure({ ...securing, way }, { ...target, httpSocket: tunnel.value }, callback);
}

function secure({ connect, refused, way = "" }: Securing, target: Target, callback: Callback): void {
  const socket = connect(target, (error, connected) => {
    if (error !== null) {
      const untrusted = certificateTrouble(codeOf(error), target.hostname, seen.certificate);
      const { cause, ...rest } = untrusted ?? troubleOf(error);
      return callback(new ConnectionFailure({ ...rest, cause: `${cause}${way}` }));
    }
    callback(null, connected);
    // In TLS 1.3 a server may refuse a client after the handshake, and all that undici tells is that the connection ended.
    connected?.on("error", (alert) => {
      const why = troubleOf(alert);
      if (why.lasts === true && /_ALERT_/u.test(codeOf(alert) ?? "")) refused(why);
    });
  });
  const seen = shownCertificate(socket);
}
